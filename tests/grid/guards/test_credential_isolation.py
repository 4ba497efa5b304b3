"""`credential_isolation`: a held credential goes neither in nor out."""

import base64
import codecs
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.guards.credential_isolation import GUARD, holds_credential
from ledgers.leaks import encoding_in
from tests.grid.guarded import Guarded

HELD = "CNRYb805afdf4cd91e581c42"
POLICY = {"credentials": {"door code": HELD}}


def base64_at(offset: int) -> Callable[[str], str]:
    return lambda text: base64.b64encode(b"x" * offset + text.encode() + b"yy").decode()


def shifted(text: str, by: int) -> str:
    """Return a text with its visible ASCII characters moved up by so many code points."""
    return "".join(chr(ord(one) + by) if "!" <= one <= "~" else one for one in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it stands": lambda text: text,
    "in a sentence": lambda text: f"it is {text}, thanks",
    "lower case": str.lower,
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "cut short": lambda text: text[:16],
    "hex": lambda text: text.encode().hex(),
    "hex with colons": lambda text: text.encode().hex(":"),
    "base64": base64_at(0),
    "base64 at offset 1": base64_at(1),
    "base64 at offset 2": base64_at(2),
    "base64 in lines": lambda text: "\n".join(base64_at(1)(text)),
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent twice": lambda text: quote("".join(f"%{byte:02x}" for byte in text.encode())),
    "spaced": " ".join,
    "thin spaces": "\u2009".join,
    "zero width": "\u200b".join,
    "hyphens": "-".join,
    "full width": lambda text: shifted(text, 0xFEE0),
    "tags": lambda text: shifted(text, 0xE0000),
    "escapes": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "short escapes": lambda text: "".join(f"\\x{ord(character):02x}" for character in text),
    "with umlauts between": "ä".join,
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_arguments_that_hold_it_in_any_form_are_refused_for_good(
    encode: Callable[[str], str],
) -> None:
    call = Guarded(GUARD, POLICY).call("store", name="note", value=encode(HELD))
    assert (call.decision.by, call.decision.terminal) == ("credential_isolation", True)
    assert (call.executed, call.effects) == (None, ())


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_results_that_hold_it_in_any_form_are_withheld_and_the_task_goes_on(
    encode: Callable[[str], str],
) -> None:
    call = Guarded(GUARD, POLICY, {"note": encode(HELD)}).call("look", name="note")
    assert (call.decision.by, call.decision.terminal) == ("credential_isolation", False)
    assert call.result is None
    assert not holds_credential(HELD, call.delivered)


@pytest.mark.parametrize(
    "value",
    [
        "no secret here",
        "CNRY",
        HELD[:15],
        HELD[4:],
        HELD.replace("805", "806"),
        base64_at(0)("CNRYb805afdf4cd91e581c43"),
        "deadbeef" * 40,
        "%%%41%zz\\u12",
        "",
    ],
)
def test_what_is_not_the_credential_passes(value: str) -> None:
    shelf = Guarded(GUARD, POLICY)
    assert shelf.call("store", name="note", value=value).decision.by == ""
    assert shelf.call("look", name="note").decision.by == ""


def test_pieces_in_the_arguments_of_one_call_are_put_together() -> None:
    call = Guarded(GUARD, POLICY).call("store", name=HELD[:10], value=HELD[10:])
    assert call.decision.terminal


def test_pieces_in_the_same_argument_of_several_calls_are_put_together() -> None:
    shelf = Guarded(GUARD, POLICY)
    pieces = (HELD[:8], HELD[8:15], HELD[15:])
    calls = [shelf.call("store", name="note", value=piece) for piece in pieces]
    assert [call.decision.by for call in calls] == ["", "", "credential_isolation"]


def test_a_report_is_an_argument_like_any_other() -> None:
    assert Guarded(GUARD, POLICY).report("done", (HELD, "rc-1")).decision.terminal


def test_the_refusal_names_the_credential_and_never_tells_it() -> None:
    call = Guarded(GUARD, POLICY).call("store", name="x", value=HELD)
    assert "door code" in call.decision.reason
    assert not holds_credential(HELD, call.delivered)


def test_every_credential_of_the_policy_is_looked_for() -> None:
    shelf = Guarded(GUARD, {"credentials": {"a": "first-secret-one", "b": HELD}})
    assert "'b'" in shelf.call("store", name="x", value=HELD).decision.reason
    assert "'a'" in shelf.call("store", name="x", value="firstsecretone").decision.reason


def test_a_credential_of_other_letters_is_found_among_its_own() -> None:
    shelf = Guarded(GUARD, {"credentials": {"a": "пароль-12"}})
    assert shelf.call("store", name="x", value="ПАРОЛЬ 12").decision.terminal
    assert shelf.call("store", name="x", value="12").decision.by == ""


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert Guarded(GUARD, None).call("store", name="x", value=HELD).decision.by == ""


def test_a_credential_that_would_be_found_everywhere_is_an_error() -> None:
    with pytest.raises(StrictError, match="letter or digit"):
        Guarded(GUARD, {"credentials": {"a": "--"}}).call("store", name="x", value="y")


@given(
    st.lists(st.sampled_from(sorted(ENCODINGS)), min_size=1, max_size=2),
    st.text(max_size=12),
    st.text(max_size=12),
)
def test_whatever_the_judge_finds_in_a_text_the_guard_finds_too(
    names: list[str], before: str, after: str
) -> None:
    text = HELD
    for name in names:
        text = ENCODINGS[name](text)
    text = f"{before}{text}{after}"
    assert not encoding_in(HELD, text) or holds_credential(HELD, {"text": text})
