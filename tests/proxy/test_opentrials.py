import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from grid.errors import ConfigError
from proxy import opentrials
from proxy.opentrials import OpenTrials, Policy
from proxy.trial import Opening
from tests.proxy.bench import private_folder

OPENING = Opening(
    trial="s/f/m/c/off/en/0",
    token="0" * 32,
    key="k" * 32,
    upstream="http://127.0.0.1:9/v1",
    secret="",
    replay=None,
)


@pytest.fixture
def trials(tmp_path: Path) -> OpenTrials:
    return OpenTrials(
        Policy(
            directory=private_folder(tmp_path),
            listed=frozenset({("127.0.0.1", 9)}),
            replaying=False,
            recording=True,
        )
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"token": "0" * 31}, "token: write"),
        ({"token": "../../../../etc/passwd0000000000"}, "token: write"),
        ({"key": "short"}, "key: write"),
        ({"key": "k" * 31 + "\n"}, "key: write"),
        ({"upstream": "http://127.0.0.1:10"}, "not listed"),
        ({"upstream": "ftp://127.0.0.1:9"}, "write http"),
        ({"secret": "sk-a\r\nX-Header: b"}, "no header can carry"),
        ({"replay": "x.jsonl"}, "null in record mode"),
    ],
)
def test_an_opening_that_cannot_be_used_is_explained(
    trials: OpenTrials, changes: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        trials.open(replace(OPENING, **changes))  # type: ignore[arg-type]
    assert trials.find("0" * 32) is None


def test_closing_waits_a_bounded_time_and_says_what_is_under_way(
    trials: OpenTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opentrials, "DRAIN_S", 0.01)
    trials.open(OPENING)
    trial = trials.find(OPENING.token)
    assert trial is not None
    trial.begin()
    closed = asyncio.run(trials.close(OPENING.token))
    assert (closed["complete"], closed["reason"]) == (False, "in_flight")
    assert closed["detail"] == "1 exchanges were still under way"
    assert trials.find(OPENING.token) is None


def test_a_trial_that_is_closing_is_closed_once(trials: OpenTrials) -> None:
    async def run() -> None:
        trials.open(OPENING)
        trial = trials.find(OPENING.token)
        assert trial is not None
        trial.begin()
        closing = asyncio.create_task(trials.close(OPENING.token))
        await asyncio.sleep(0)
        with pytest.raises(ConfigError, match="no open trial"):
            await trials.close(OPENING.token)
        assert trials.under_way() == (trial,)
        trial.end()
        assert (await closing)["complete"] is True

    asyncio.run(run())
