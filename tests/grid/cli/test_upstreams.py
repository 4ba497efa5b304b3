"""grid.cli.upstreams: where models are, what key goes along, and what is noted of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.cli.running import run
from grid.cli.upstreams import Endpoints, Served, Upstreams, model_records, reached
from grid.errors import ConfigError
from grid.models import PROVIDERS
from ledgers.manifest import read_manifest
from ledgers.verify import verify
from proxy.localserver import template_sha256
from proxy.weights import LOCAL_MODELS
from tests.ledgers.runs import TRIALS
from tests.proxy.tinymodel import write_tiny_model

SEED = "ab" * 16
NAMED = "local/qwen2.5-coder-0.5b,temperature=0.7"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


def of(provider: str, environ: dict[str, str], **said: Any) -> Served:
    return reached(PROVIDERS[provider], Endpoints(**said), environ)


def test_each_provider_is_where_its_own_variables_say() -> None:
    key = {"OPENAI_API_KEY": " sk-mine\n"}
    assert of("openai", key) == Served(url="https://api.openai.com/v1", secret="sk-mine")
    gateway = {"OPENAI_BASE_URL": "https://gateway.example/openai/v1/"}
    assert of("openai", key | gateway).url == "https://gateway.example/openai/v1"
    assert of("openai", key | gateway, base_url="http://127.0.0.1:9/v1").url.endswith(":9/v1")
    assert of("ollama", {}).url == "http://127.0.0.1:11434/v1"
    assert of("ollama", {"OLLAMA_HOST": "10.0.0.5:11434"}).url == "http://10.0.0.5:11434/v1"
    assert of("ollama", {"OLLAMA_HOST": "http://box:1"}).url == "http://box:1/v1"
    assert of("vllm", {"VLLM_API_KEY": "k"}).secret == "k"


def test_a_key_that_is_missing_is_asked_for_by_name() -> None:
    with pytest.raises(ConfigError, match=r"set OPENAI_API_KEY, or say with --base-url"):
        of("openai", {})
    assert of("openai", {}, base_url="http://127.0.0.1:8000/v1").secret == ""


def test_a_key_never_crosses_a_network_in_the_clear() -> None:
    key = {"OPENAI_API_KEY": "sk-mine"}
    with pytest.raises(ConfigError, match=r"not https, and the key in OPENAI_API_KEY"):
        of("openai", key, base_url="http://models.example/v1")
    for local in ("http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"):
        assert of("openai", key, base_url=local).secret == "sk-mine"
    assert of("openai", {}, base_url="http://models.example/v1").secret == ""


@pytest.mark.parametrize("url", ["models.example", "ftp://a/v1", "http://u:p@a/v1", "http://a?x=1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="write http"):
        of("vllm", {}, base_url=url)


def test_what_a_manifest_says_of_real_models(tiny: Path) -> None:
    models = (NAMED, "scripted/honest", "openai/gpt", NAMED)
    first, second = model_records(models, Endpoints())
    assert (first.id, first.requested, first.parameters) == (
        NAMED, "qwen2.5-coder-0.5b", {"temperature": 0.7},
    )  # fmt: skip
    assert first.weights == LOCAL_MODELS["qwen2.5-coder-0.5b"].sha256
    assert first.template == template_sha256("fenced")
    assert (second.id, second.weights, second.template) == ("openai/gpt", "", "")
    (own,) = model_records(["local/mine"], Endpoints(gguf=tiny, template="own"))
    assert (own.weights, own.template) == (hashlib.sha256(tiny.read_bytes()).hexdigest(), "")


def test_a_local_model_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no weights for 'mine': write one of local/.*--gguf"):
        model_records(["local/mine"], Endpoints())
    with pytest.raises(ConfigError, match="--gguf: cannot read"):
        model_records(["local/mine"], Endpoints(gguf=tmp_path / "absent.gguf"))


def test_what_is_not_wanted_is_not_started(tiny: Path) -> None:
    with Upstreams(["vllm/m"], Endpoints(base_url="http://127.0.0.1:9/v1")) as models:
        assert models.addresses == ("127.0.0.1:9",)
        trial = replace(TRIALS[2], model="vllm/m")
        assert models.of(trial, SEED) == Served(url="http://127.0.0.1:9/v1")
        assert models.facts == {"models": {"vllm/m": {"host": "127.0.0.1:9"}}}
        with pytest.raises(RuntimeError, match="no persona"):
            models.of(TRIALS[2], SEED)
    two = ("local/mine", "local/mine,temperature=0")
    with Upstreams(two, Endpoints(gguf=tiny)) as models:
        urls = {models.of(replace(TRIALS[2], model=model), SEED).url for model in two}
        assert urls == {f"http://{models.addresses[0]}/v1"}, "one server for both"
        models.check()


def tiny_grid(frameworks: Sequence[str]) -> dict[str, Any]:
    block = {
        "scenarios": ["S02"],
        "cases": ["attack", "benign"],
        "frameworks": list(frameworks),
        "models": ["local/tiny,temperature=0.8,max_tokens=30"],
        "guards": ["off"],
    }
    return {"format": 1, "name": "tiny", "cells": [block]}


def test_a_local_model_runs_in_every_framework_and_again_to_the_same_answers(
    tiny: Path, tmp_path: Path
) -> None:
    frameworks = ("strands", "langgraph", "crewai")
    first = run(tiny_grid(frameworks), output=tmp_path / "a", gguf=tiny)
    verify(first.path, head=first.head.head)
    manifest = read_manifest((first.path / "manifest.json").read_bytes())
    (record,) = manifest.models
    assert record.weights == hashlib.sha256(tiny.read_bytes()).hexdigest()
    assert {entry.status.value for entry in first.trials} == {"completed"}
    again = run(tiny_grid(frameworks), output=tmp_path / "b", gguf=tiny)
    assert said(first) == said(again), "the seed of each trial draws the same words again"


def said(found: Any) -> list[str]:
    return [found.kept(str(entry.trial)).evidence.journal.final_text for entry in found.trials]
