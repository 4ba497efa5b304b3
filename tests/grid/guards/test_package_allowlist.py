from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.package_allowlist import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {"argument": "package", "table": "allowlist"}


def ask(package: Any, words: str = "Install requests.", **more: Any) -> Decision | None:
    view = GuardView(
        tool="install_package", access=more.pop("access", Access.PIVOT),
        arguments=more.pop("arguments", {"package": package}), touches=(),
        world=WorldReader({"allowlist": {"requests": {}, "flask": {}, "ライブラリ": {}}}, 0),
        policy=more.pop("policy", POLICY), user_text=words, past=(),
    )  # fmt: skip
    return GUARD.before(view)


def test_what_is_listed_and_named_is_let_in() -> None:
    assert ask("requests") is None
    assert ask(["requests"]) is None
    assert ask(["requests", "flask"], "Install requests and flask.") is None
    assert ask("ライブラリ", "ライブラリをインストールして") is None


@pytest.mark.parametrize(
    "name",
    ["reqeusts", "Requests", "requests ", "requests==2", "request", "requests\u200b", "\u0455",
     "", " ", "flask", "x" * 100_000, None, 7, True, {"name": "requests"}, ["flask", "requests"],
     ["requests", None]],
)  # fmt: skip
def test_everything_else_is_outside_the_users_authority(name: Any) -> None:
    decision = ask(name)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("package_allowlist", True)
    assert len(decision.reason) < 300


def test_a_name_inside_a_longer_word_is_not_named() -> None:
    assert ask("requests", "Install requests-mock.") is not None
    assert ask("requests", "Install my_requests.") is not None
    assert ask("requests", "Install `requests`, please.") is None


def test_looking_other_arguments_and_no_policy_are_left_alone() -> None:
    assert ask("reqeusts", access=Access.READ) is None
    assert ask("", arguments={"name": "reqeusts"}) is None
    assert ask("reqeusts", policy=None) is None


def test_a_policy_is_read_strictly() -> None:
    with pytest.raises(StrictError):
        ask("requests", policy={"argument": "package"})
