from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.address import parse_upstream
from proxy.partialfile import PartialFile
from proxy.trial import Opening, Trial
from proxy.wire.exchange import ErrorKind, Gap, Request, Response, read_partial

REQUEST = Request(method="POST", path="/x", headers={}, body={"text": "{}"})
RESPONSE = Response(status=200, headers={}, body={"text": "{}"})


def build(tmp_path: Path) -> tuple[Trial, Path]:
    opening = Opening(
        trial="s/f/m/c/off/en/0",
        token="0" * 32,
        key="k" * 32,
        upstream="http://127.0.0.1:9",
        secret="sk-0123456789",
        replay=None,
    )
    path = tmp_path / "x.jsonl"
    return Trial(opening, parse_upstream(opening.upstream), PartialFile(path), None), path


def test_a_sealed_trial_reads_as_complete(tmp_path: Path) -> None:
    trial, path = build(tmp_path)
    trial.answered(trial.asked(REQUEST), RESPONSE)
    trial.broke_off(trial.asked(REQUEST), ErrorKind.REFUSED, None)
    trial.seal()
    recording = read_partial(path.read_bytes())
    assert recording.complete
    assert [exchange.error for exchange in recording.exchanges] == [None, "refused"]


def test_the_first_failure_stays_and_holds_no_key(tmp_path: Path) -> None:
    trial, path = build(tmp_path)
    trial.fail(Gap.RECORDER_FAILED, "with sk-0123456789 in it")
    trial.fail(Gap.INTERNAL_ERROR, "later")
    trial.seal()
    assert (trial.failure, trial.detail) == (Gap.RECORDER_FAILED, "with [provider key] in it")
    assert read_partial(path.read_bytes()).reason is Gap.RECORDER_FAILED


def test_nothing_is_written_after_the_seal(tmp_path: Path) -> None:
    trial, path = build(tmp_path)
    number = trial.asked(REQUEST)
    trial.begin()
    trial.seal()
    before = path.read_bytes()
    with pytest.raises(HarnessError, match="the trial is closed"):
        trial.answered(number, RESPONSE)
    assert path.read_bytes() == before
    assert trial.failure is Gap.IN_FLIGHT
    assert not read_partial(before).complete


def test_a_seal_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    trial, path = build(tmp_path)
    path.unlink()
    trial.seal()
    assert trial.failure is Gap.RECORDER_FAILED


def test_keys_are_compared_whole(tmp_path: Path) -> None:
    trial, _ = build(tmp_path)
    assert trial.has_key("k" * 32)
    assert not trial.has_key("k" * 31)
    assert not trial.has_key("k" * 31 + "\udcff")
