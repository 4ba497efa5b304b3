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
        ({"upstream": ""}, "write http"),
        ({"more": ("http://127.0.0.1:10",)}, "not listed"),
        ({"more": ("http://127.0.0.1:9",), "more_secrets": ("a", "b")}, "one for each"),
        ({"more": ("http://127.0.0.1:9",), "more_secrets": ("a\nb",)}, "no header can carry"),
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


def test_the_places_of_a_trial_lead_to_its_upstreams_as_long_as_it_is_open(
    trials: OpenTrials,
) -> None:
    more = ("http://127.0.0.1:9/one", "http://127.0.0.1:9/two")
    trials.open(replace(OPENING, secret="a", more=more, more_secrets=("b", "")))
    found = [trials.route(OPENING.token, place) for place in ("v1", "u1", "u2")]
    assert [(r.upstream.base, r.secret, r.name) for r in found if r] == [
        ("/v1", "a", ""),
        ("/one", "b", "127.0.0.1:9"),
        ("/two", "", "127.0.0.1:9"),
    ]
    assert trials.route(OPENING.token, "u3") is None
    assert not trials.was_open(OPENING.token)
    asyncio.run(trials.close(OPENING.token))
    assert trials.route(OPENING.token, "v1") is None
    assert trials.was_open(OPENING.token)
    assert not trials.was_open("0" * 31)


def test_where_the_proxy_forwards_a_trial_needs_no_upstream(tmp_path: Path) -> None:
    forwarding = OpenTrials(
        Policy(
            directory=private_folder(tmp_path),
            listed=frozenset(),
            replaying=False,
            recording=True,
            forward=True,
        )
    )
    forwarding.open(replace(OPENING, upstream=""))
    assert forwarding.route(OPENING.token, "v1") is None
    assert forwarding.find(OPENING.token) is not None
