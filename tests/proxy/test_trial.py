import tracemalloc
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.address import parse_upstream
from proxy.partialfile import PartialFile
from proxy.trial import Opening, Trial
from proxy.wire.exchange import ErrorKind, Gap
from proxy.wire.partial import RawRequest, RawResponse, read_partial

SECRET = "sk-0123456789"
REQUEST = RawRequest(method="POST", path="/x", headers={}, body=b"{}")
RESPONSE = RawResponse(status=200, headers={}, body=b"{}")


def build(tmp_path: Path) -> tuple[Trial, Path]:
    opening = Opening(
        trial="s/f/m/c/off/en/0",
        token="0" * 32,
        key="k" * 32,
        upstream="http://127.0.0.1:9",
        secret=SECRET,
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


def test_times_are_told_since_the_opening_and_are_no_part_of_the_file(tmp_path: Path) -> None:
    trial, path = build(tmp_path)
    numbers = [trial.asked(REQUEST) for _ in range(3)]
    assert trial.timings()[2][1:] == [None, None]
    trial.first_byte(numbers[1])
    trial.answered(numbers[1], RESPONSE)
    trial.broke_off(numbers[0], ErrorKind.REFUSED, None)
    trial.seal()
    first, second, third = trial.timings()
    assert (first[1], third[1:]) == (None, [None, None]), "what never came is told as such"
    whole = [stamp for stamp in second if stamp is not None]
    assert len(whole) == 3
    assert 0 <= whole[0] <= whole[1] <= whole[2]
    for stamp in whole:
        assert str(stamp).encode() not in path.read_bytes()


def test_a_trial_holds_no_more_for_a_long_exchange_than_for_a_short_one(tmp_path: Path) -> None:
    """Three numbers for each, however long bodies are: twenty thousand exchanges fit in a run."""
    trial, _ = build(tmp_path)
    long = RawRequest(method="POST", path="/x", headers={}, body=bytes(200_000))
    tracemalloc.start()
    try:
        for _ in range(50):
            trial.answered(trial.asked(long), RESPONSE)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100_000
