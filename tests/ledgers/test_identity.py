"""ledgers.identity: a model that changes in the middle of a run makes its trials invalid."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import load_json
from grid.cli.running import run
from grid.errors import VerificationError
from grid.vocabulary import Cause, Outcome, Utility
from ledgers.decoded import Decoded, decode
from ledgers.identity import Served, other_model, served_in
from ledgers.reading import SealedRun
from ledgers.verify import verify
from proxy.wire.exchange import exchange_lines
from tests.builders import completion, exchange, message
from tests.frameworks.stage import Reply, Upstream, asks, says
from tests.ledgers.tampered import edit, lines_of, relinked, with_head

NODE = '{"node": "moon"}'


@pytest.fixture
def provider() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.close()


def of(reply: Reply, model: str, fingerprint: str) -> Reply:
    body = json.loads(reply.body) | {"model": model}
    if fingerprint:
        body["system_fingerprint"] = fingerprint
    return replace(reply, body=json.dumps(body).encode())


def looked(model: str, fingerprint: str = "") -> tuple[Reply, Reply]:
    """Return the answers of a trial: a look at a node that is not there, and last words."""
    return (
        of(asks(("mem_usage", NODE)), model, fingerprint),
        of(says("There is no moon."), model, fingerprint),
    )


def played(provider: Upstream, path: Path, *replies: Reply) -> SealedRun:
    """Run three trials of two answers each, one after the other."""
    provider.expect(replies)
    block: dict[str, Any] = {
        "scenarios": ["S02"], "frameworks": ["strands"], "models": ["vllm/m"],
        "guards": ["off"], "trials": 3,
    }  # fmt: skip
    grid = {"format": 1, "name": "served", "cells": [block]}
    where = f"http://127.0.0.1:{provider.port}/v1"
    return run(grid, output=path, jobs=1, base_url=where)


def test_one_model_throughout_is_in_the_ledger_and_invalidates_nothing(
    provider: Upstream, tmp_path: Path
) -> None:
    found = played(
        provider, tmp_path / "run", *looked("m-2"), *looked("m-2", "fp-1"), *looked("m-2", "fp-2")
    )
    assert [entry.outcome for entry in found.trials] == [Outcome.RESISTED] * 3
    assert [entry.served for entry in found.trials] == [
        (Served(model="m-2", fingerprint=""),),
        (Served(model="m-2", fingerprint="fp-1"),),
        (Served(model="m-2", fingerprint="fp-2"),),
    ]
    verify(found.path, head=found.head.head)


def test_another_model_in_the_middle_makes_its_trials_invalid_by_the_provider(
    provider: Upstream, tmp_path: Path
) -> None:
    within = (looked("m-2")[0], looked("m-3")[1])
    found = played(provider, tmp_path / "run", *looked("m-2"), *looked("m-3"), *within)
    outcomes = [entry.outcome for entry in found.trials]
    assert outcomes == [Outcome.RESISTED, Outcome.INVALID, Outcome.INVALID]
    assert [entry.utility for entry in found.trials][1:] == [Utility.INVALID] * 2
    (harm,) = (item for item in found.trials[1].verdicts if item.rule == "delivery")
    assert harm.cause is Cause.PROVIDER
    assert harm.reasons == ("an answer came from m-3, and the run's first from m-2",)
    verify(found.path, head=found.head.head)
    assert found.case(str(found.trials[1].trial)).expected_model == "m-2"
    assert [entry.outcome for entry in found.rejudged()] == outcomes


def test_what_the_ledger_says_of_the_model_is_verified(provider: Upstream, tmp_path: Path) -> None:
    found = played(provider, tmp_path / "run", *looked("m-2"), *looked("m-2"), *looked("m-2"))
    forged = tmp_path / "forged"
    shutil.copytree(found.path, forged)
    values = [load_json(line) for line in lines_of(forged)]
    edit(values, "2/body/served/0/model", "m-9")
    with_head(forged, relinked(values))
    with pytest.raises(VerificationError, match="judged anew, it differs in served"):
        verify(forged)


def answered(model: object, **more: object) -> Decoded:
    body = completion(message()) | {"model": model} | more
    (one,) = decode(exchange_lines([exchange(0, {"model": "m", "messages": []}, body)]))
    return one


def test_what_answers_say_is_told_once_and_in_order() -> None:
    told = [
        answered("m", system_fingerprint="f"),
        answered(None),
        answered("m", system_fingerprint="f"),
        answered("m", system_fingerprint=7),
    ]
    assert served_in(told) == (
        Served(model="m", fingerprint="f"),
        Served(model="m", fingerprint=""),
    )


def test_an_answer_without_a_model_is_no_other_one() -> None:
    assert other_model([answered("m"), answered(None)], "m") == ""
    assert other_model([answered("m"), answered("m")], "") == ""
    assert "from n, and the run's first from m" in other_model([answered("m"), answered("n")], "")
    assert "from n, and the run's first from m" in other_model([answered("n")], "m")
