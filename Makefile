# `make` alone lists what it can do. Works with GNU Make 3.81 and later.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo local test check lint bench digests lock clean

BIN   := .venv/bin
JOBS  ?= 2
ARGS  ?=
BENCH ?= grid proxy
LOCAL ?= qwen2.5-coder-0.5b

# A PYTHONPATH would shadow the locked packages; without bytecode every process would compile again.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE VIRTUAL_ENV

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'PYTHON=/path/to/python3.13 picks the interpreter; ARGS="..." is passed on by demo, test, check, bench and lock.'

setup: ## build .venv from requirements.lock (the others call it; does nothing when it is up to date)
	@python="$$(PYTHON='$(PYTHON)' sh .ci/find-python)" && "$$python" -I .ci/setup.py

demo: setup ## set up, then run the main job on the embedded default: no key, no network
	@$(BIN)/nonverba run --force $(ARGS)

local: setup ## set up, then fetch the weights of small real models (LOCAL="qwen2.5-coder-1.5b": which)
	@$(BIN)/python -m proxy.weights $(LOCAL)

test: lint ## set up, lint, then run the tests and the self-check with the network off
	@$(BIN)/python .ci/offline.py $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)
	@$(BIN)/python .ci/offline.py $(BIN)/nonverba check -j $(JOBS) --no-progress

check: setup ## prove every scenario, guard and rule with scripted personas, in every framework
	@$(BIN)/python .ci/offline.py $(BIN)/nonverba check -j $(JOBS) $(ARGS)

lint: setup ## format, lint, types, and who may import whom
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## what a trial and a request through the proxy cost (BENCH="compare statistics": speed and truth of the statistics)
	@for part in $(BENCH); do $(BIN)/python tests/bench/$${part}_bench.py $(ARGS) || exit; done

digests: setup ## note what is released now: scenarios, clauses, guards and rules (read the diff)
	@$(BIN)/python -c "from ledgers.released import regenerate; regenerate()"

lock: setup ## write requirements.lock anew (ARGS=--upgrade moves versions, a week behind the index)
	@UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.12 \
		--generate-hashes --no-header --no-annotate --exclude-newer '7 days' -q -o requirements.lock $(ARGS)

clean: ## remove .venv and caches; keeps runs/
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist
	@find grid frameworks proxy ledgers tests -name __pycache__ -type d -prune -exec rm -rf {} +
