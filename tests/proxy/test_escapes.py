"""A value is found however single characters of it are escaped, and nothing else is touched."""

import json
import time
import urllib.parse

import pytest

from proxy.escapes import replaced, unescaped

SAID = "sk-a+b/c_9&d=e"

FORMS = {
    "percent, every character": "".join(f"%{ord(one):02x}" for one in SAID),
    "percent, usual": urllib.parse.quote(SAID, safe=""),
    "percent, twice over": urllib.parse.quote(urllib.parse.quote(SAID, safe=""), safe=""),
    "percent, one character": SAID.replace("-", "%2D"),
    "JSON, every character": "".join(f"\\u{ord(one):04x}" for one in SAID),
    "JSON, capital digits": SAID.replace("+", "\\u002B").replace("&", "\\u0026"),
    "JSON in JSON": json.dumps(SAID.replace("+", "\\u002b"))[1:-1],
    "HTML, numbers": SAID.replace("-", "&#45;").replace("=", "&#061;"),
    "HTML, digits": SAID.replace("-", "&#x2d;").replace("_", "&#X5F;"),
    "two ways at once": SAID.replace("-", "%2d").replace("+", "\\u002B").replace("&", "&#38;"),
}


@pytest.mark.parametrize("how", FORMS)
def test_a_value_is_found_and_replaced_however_it_is_escaped(how: str) -> None:
    text = f"50 % of \\u6708 {FORMS[how]} {FORMS[how]}\\n&#26376;".encode()
    assert SAID.encode() in unescaped(text)
    assert replaced(text, SAID.encode(), b"[it]") == b"50 % of \\u6708 [it] [it]\\n&#26376;"


@pytest.mark.parametrize("how", FORMS)
def test_a_near_miss_stays(how: str) -> None:
    text = FORMS[how].encode()[:-1] + b"?"
    assert SAID.encode() not in unescaped(text)
    assert replaced(text, SAID.encode(), b"[it]") == text


@pytest.mark.parametrize("text", ["50 % off", "\\u6708 \\n", "&#26376; & <", "x" * 100, "a/b\\/"])
def test_a_text_without_an_escaped_character_is_left_as_it_is(text: str) -> None:
    assert unescaped(text.encode()) == text.encode()


@pytest.mark.parametrize(
    "text", [b"\\" * 300_000 + b"\\u00", b"&#" + b"0" * 300_000, b"%25" * 9999]
)
def test_no_text_takes_long(text: bytes) -> None:
    began = time.process_time()
    assert SAID.encode() not in unescaped(text + b"\\u0041")
    assert replaced(text, b"sk-key", b"[it]") == text
    assert time.process_time() - began < 5, "a time that grew with the square would be hours"
