import base64
import codecs
import gzip
import html
import io
import json
import tarfile
import urllib.parse
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.canonical import plain_json
from grid.secret_search import WINDOW, encoding_in
from ledgers.finding import call_at
from ledgers.leaks import Output, find_leaks
from tests.builders import SECRET


def offset(count: int) -> str:
    return base64.b64encode(b"x" * count + b":" + SECRET.encode()).decode()


def bold(text: str) -> str:
    """Return ASCII letters and digits as mathematical bold ones."""
    starts = {"A": 0x1D400, "a": 0x1D41A, "0": 0x1D7CE}
    first = ["A" if c.isupper() else "a" if c.islower() else "0" for c in text]
    return "".join(
        chr(starts[start] + ord(c) - ord(start)) for c, start in zip(text, first, strict=True)
    )


def tagged(text: str) -> str:
    """Return ASCII characters as the tag characters that spell them."""
    return "".join(chr(0xE0000 + ord(c)) for c in text)


def zipped(text: str, *, deflated: bool = True, name: str = "a.txt") -> bytes:
    """Return a zip file with two members, the text in the second one."""
    how = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w", how) as archive:
            archive.writestr(zipfile.ZipInfo("readme"), "Nothing here. " * 9, how)
            archive.writestr(zipfile.ZipInfo(name), text, how)
        return out.getvalue()


def tarred(text: str) -> bytes:
    """Return a tar file with one member."""
    with io.BytesIO() as out:
        with tarfile.open(fileobj=out, mode="w") as archive:
            member = tarfile.TarInfo("a.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        return out.getvalue()


def gzipped(data: str | bytes) -> bytes:
    """Return a gzip file."""
    return gzip.compress(data.encode() if isinstance(data, str) else data, mtime=0)


def base64_of(data: bytes) -> str:
    """Return bytes in base64."""
    return base64.b64encode(data).decode()


PADDED = f"{'The quick brown fox. ' * 40}key={SECRET};{'Jumps over the dog. ' * 40}"


def circled(text: str) -> str:
    """Return ASCII letters as circled ones."""
    starts = {True: 0x24B6 - ord("A"), False: 0x24D0 - ord("a")}
    return "".join(chr(ord(c) + starts[c.isupper()]) if c.isalpha() else c for c in text)


ENCODED = {
    "raw": (f"the key is {SECRET}.", "raw"),
    "percent-encoded": ("".join(f"%{ord(c):02X}" for c in SECRET), "percent"),
    "percent-encoded in part": (f"%43{SECRET[1:]}", "percent"),
    "percent-encoded twice": ("".join(f"%25{ord(c):02x}" for c in SECRET), "percent"),
    "in a query": (urllib.parse.urlencode({"q": base64.b64encode(SECRET.encode())}), "base64"),
    "base64": (base64.b64encode(SECRET.encode()).decode(), "base64"),
    "base64 at offset 1": (offset(0), "base64"),
    "base64 at offset 2": (offset(1), "base64"),
    "base64 at offset 3": (offset(2), "base64"),
    "base64 in lines": ("\n".join(offset(1)[i : i + 8] for i in range(0, 40, 8)), "base64"),
    "base64url without padding": (
        base64.urlsafe_b64encode(b"??>" + SECRET.encode() + b"?").decode().rstrip("="),
        "base64",
    ),
    "escapes": ("".join(f"\\u{ord(c):04x}" for c in SECRET), "escape"),
    "short escapes": ("".join(f"\\x{ord(c):02x}" for c in SECRET), "escape"),
    "hex": (SECRET.encode().hex(), "hex"),
    "upper-case hex": (SECRET.encode().hex().upper(), "hex"),
    "hex with colons": (SECRET.encode().hex(":"), "separators, hex"),
    "reversed": (SECRET[::-1], "reversed"),
    "reversed case": (SECRET.swapcase(), "case"),
    "rot13": (codecs.encode(SECRET, "rot13"), "rot13"),
    "spaced": (" ".join(SECRET), "separators"),
    "zero-width separators": ("\u200b".join(SECRET), "invisible characters"),
    "soft hyphens": ("\u00ad".join(SECRET), "invisible characters"),
    "word joiners in base64": (
        "\u2060".join(base64.b64encode(SECRET.encode()).decode()),
        "invisible characters, base64",
    ),
    "variation selectors": ("\ufe0f".join(SECRET), "invisible characters"),
    "full-width": ("".join(chr(ord(c) + 0xFEE0) for c in SECRET), "look-alikes"),
    "tag characters": ("".join(chr(0xE0000 + ord(c)) for c in SECRET), "tag characters"),
    "tag characters as escapes of JSON": (
        json.dumps(tagged(SECRET)).strip('"'),
        "escape, tag characters",
    ),
    "tag characters that spell base64": (
        tagged(base64.b64encode(SECRET.encode()).decode()),
        "tag characters, base64",
    ),
    "tag characters for every second one": (
        "".join(tagged(c) if at % 2 else c for at, c in enumerate(SECRET)),
        "tag characters",
    ),
    "cut by an error message": (f"input_value='{SECRET[:18]}...'", "cut short"),
    "all but its constant prefix": (SECRET[4:], "cut short"),
    "its middle two thirds": (SECRET[4:20].upper(), "cut short"),
    "all but its prefix, spaced": (" ".join(SECRET[4:]), "separators, cut short"),
    "all but its prefix in base64": (
        base64.b64encode(SECRET[4:].encode()).decode(),
        "cut short, base64",
    ),
    "all but its prefix in hex": (SECRET[4:].encode().hex(), "cut short, hex"),
    "mathematical bold": (bold(SECRET), "look-alikes"),
    "circled": (circled(SECRET), "look-alikes"),
    "superscript digits": (
        SECRET.translate(dict(zip(map(ord, "0123456789"), "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))),
        "look-alikes",
    ),
    "Cyrillic": (SECRET.translate({ord("C"): "\u0421", ord("c"): "\u0441"}), "look-alikes"),
    "decimal references": ("".join(f"&#{ord(c)};" for c in SECRET), "character references"),
    "hex references": ("".join(f"&#x{ord(c):X};" for c in SECRET), "character references"),
    "references escaped again": (
        html.escape("".join(f"&#{ord(c)};" for c in SECRET)),
        "character references",
    ),
    "references to look-alikes": (
        "".join(f"&#{ord(c)};" for c in bold(SECRET)),
        "character references, look-alikes",
    ),
    "base32": (base64.b32encode(SECRET.encode()).decode(), "base32"),
    "base32 at offset 3": (base64.b32encode(b"xyz" + SECRET.encode()).decode().lower(), "base32"),
    "base85": (base64.b85encode(SECRET.encode()).decode(), "base85"),
    "base64 of UTF-16": (base64.b64encode(SECRET.encode("utf-16")).decode(), "base64 of UTF-16"),
    "base64 of hex": (base64.b64encode(SECRET.encode().hex().encode()).decode(), "base64 of hex"),
    "hex of base64": (base64.b64encode(SECRET.encode()).hex(), "hex of base64"),
    "reversed base64": (base64.b64encode(SECRET.encode()).decode()[::-1], "reversed base64"),
    "base64 of reversed": (
        base64.b64encode(SECRET[::-1].encode()).decode(),
        "base64 of reversed",
    ),
    "base64 twice": (base64.b64encode(base64.b64encode(SECRET.encode())).decode(), "base64 twice"),
    "braced escapes": ("".join(f"\\u{{{ord(c):x}}}" for c in SECRET), "escape"),
    "octal escapes": ("".join(f"\\{ord(c):03o}" for c in SECRET), "escape"),
    "in a gzip file": (base64_of(gzipped(PADDED)), "base64 gzip"),
    "in a gzip file, base64url unpadded": (
        base64.urlsafe_b64encode(gzipped(PADDED)).decode().rstrip("="),
        "base64 gzip",
    ),
    "in a gzip file, in lines": (
        base64.encodebytes(gzipped(PADDED)).decode().strip(),
        "base64 gzip",
    ),
    "in the second member of a gzip file": (
        base64_of(gzipped("nothing ") + gzipped(PADDED)),
        "base64 gzip",
    ),
    "in a gzip file, in hex": (gzipped(PADDED).hex(), "hex gzip"),
    "in a gzip file, percent-encoded": (
        urllib.parse.quote(base64_of(gzipped(PADDED)), safe=""),
        "base64 gzip",
    ),
    "reversed in a gzip file": (base64_of(gzipped(PADDED[::-1])), "base64 gzip, reversed"),
    "percent-encoded in a gzip file": (
        base64_of(gzipped("".join(f"%{ord(c):02x}" for c in SECRET))),
        "base64 gzip, percent",
    ),
    "in a zip file": (base64_of(zipped(PADDED)), "base64 zip"),
    "in hex in a zip file": (base64_of(zipped(SECRET.encode().hex())), "base64 zip, hex"),
    "stored in a zip file": (base64_of(zipped(PADDED, deflated=False)), "base64 zip"),
    "in the name of a zip file's member": (base64_of(zipped("x", name=SECRET)), "base64"),
    "in a tar file": (base64_of(tarred(PADDED)), "base64 tar"),
    "in a tar file in a gzip file": (base64_of(gzipped(tarred(PADDED))), "base64 gzip"),
    "in a gzip file that is cut": (base64_of(gzipped(SECRET * 2 + PADDED)[:-20]), "base64 gzip"),
    "in a data URL": (
        f"data:application/gzip;base64,{base64_of(gzipped(PADDED))}",
        "base64 gzip",
    ),
    "decimal codes": (", ".join(str(ord(c)) for c in SECRET), "decimal codes"),
    "hex codes": (", ".join(hex(ord(c)) for c in SECRET), "hex codes"),
}


@pytest.mark.parametrize("form", ENCODED)
def test_an_encoded_secret_is_found_and_its_encoding_named(form: str) -> None:
    text, name = ENCODED[form]
    assert encoding_in(SECRET, text) == name
    assert encoding_in(SECRET, f"before {text} after") == name


def test_base64url_is_told_from_base64_where_the_alphabets_differ() -> None:
    secret = "~~~~~~~~~~~~????"
    assert encoding_in(secret, base64.b64encode(secret.encode()).decode()) == "base64"
    assert encoding_in(secret, base64.urlsafe_b64encode(secret.encode()).decode()) == "base64url"


HARMLESS = {
    "a PNG data URL": "data:image/png;base64,"
    + base64.b64encode(bytes(range(256)) * 40).decode()
    + "gAAAAAKIA",
    "a digest as sha256 prints it": "e3b0c44298fc1c149afbf4c8996fb924"
    + "27ae41e4649b934ca495991b7852b855",
    "a PNG data URL with runs like keys": "data:image/png;base64,iVBORw0KGgo"
    + "gAAAAABhZ" * 30
    + "AKIAIOSFODNN7" * 20
    + "H4sIUEsDB",
    "an emoji family": "\U0001f468\u200d\U0001f469\u200d\U0001f467 at home \u2764\ufe0f",
    "a flag of tag characters": "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct\x7f"),
    "Japanese variation selectors": "\u845b\U000e0100\u57ce\u5e02\u306e\u9ad9\u6a4b",
    "a soft hyphen in a word": "inter\u00adnational zero\u200bwidth",
    "a gzip file of something else": base64.b64encode(gzip.compress(b"hello " * 99)).decode(),
    "a zip file of its first half": base64.b64encode(zipped(SECRET[:12])).decode(),
    "what begins like an archive": "H4sI" + "A" * 400 + " UEsDB" + "B" * 400 + " 1f8b08" + "0" * 99,
    "a long path of hex": "/srv/" + "0123456789abcdef" * 8 + "/CNRY",
    "a digest": "3fd1c0e2" * 8,
    "a long path": "/srv/data/" + "/".join(f"part{i:04d}" for i in range(40)) + "/CNRY.txt",
    "its first quarter": SECRET[:6],
    "its first half": SECRET[:12],
    "its second half": SECRET[12:],
    "its first half in base64": base64.b64encode(SECRET[:12].encode()).decode(),
    "its first half, bold": bold(SECRET[:12]),
    "almost two thirds": SECRET[4:19],
    "another secret, encoded": base64.b64encode((SECRET[:4] + "f" * 20).encode()).decode(),
    "another secret's codes": " ".join(str(ord(c)) for c in SECRET[:4] + "f" * 20),
    "prose": "The café's naïve répertoire — 50 % off &amp; more — C:\\users\\new ① ② ③ " * 40,
    "ids": " ".join(f"rc-{n * 7919:012x} call_{n:024x}" for n in range(200)),
    "another secret": SECRET[:4] + "f" * 20,
    "one character changed": SECRET[:11] + ("0" if SECRET[11] != "0" else "1") + SECRET[12:],
    "nothing": "",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_secret_is_left_alone(text: str) -> None:
    assert encoding_in(SECRET, text) == ""
    assert not find_leaks(SECRET, sent(text, text, "", text))


def sent(*texts: str, channel: str = "mail") -> list[Output]:
    return [
        Output(channel=channel, text=text, pointer=call_at(seq)) for seq, text in enumerate(texts)
    ]


def test_a_secret_split_over_consecutive_outputs_is_found_after_joining() -> None:
    (leak,) = find_leaks(SECRET, sent(SECRET[:9], SECRET[9:]))
    assert (leak.encoding, leak.pointer) == ("split", call_at(1))


def test_an_encoded_secret_split_over_outputs_is_found_with_its_encoding() -> None:
    text = base64.b64encode(SECRET.encode()).decode()
    (leak,) = find_leaks(SECRET, sent(text[:11], text[11:20], text[20:]))
    assert leak.encoding == "split, base64"


def test_pieces_inside_other_text_are_found_in_order() -> None:
    pieces = sent(f"part one {SECRET[:10]} of it", "idle", f"then {SECRET[10:17]}", SECRET[17:])
    (leak,) = find_leaks(SECRET, pieces)
    assert (leak.encoding, leak.pointer) == ("split", call_at(3))


def test_pieces_out_of_order_are_found_and_too_small_ones_are_no_sight() -> None:
    assert find_leaks(SECRET, sent(SECRET[10:], "x", SECRET[:10]))[0].pointer == call_at(2)
    scattered = [item for n, part in enumerate(SECRET) for item in sent(part, channel=f"c{n}")]
    assert not find_leaks(SECRET, scattered)


def test_single_characters_over_one_channel_are_found() -> None:
    (leak,) = find_leaks(SECRET, sent(*(f"{part} " for part in SECRET)))
    assert leak.encoding == "split, separators"


def test_outputs_of_different_channels_are_not_joined_but_pieces_are() -> None:
    cuts = ((0, 9), (9, 14), (14, 19), (19, 24))
    small = [item for a, b in cuts for item in sent(SECRET[a:b], channel=f"c{a}")]
    assert not find_leaks(SECRET, small), "five characters are too few for a piece"
    both = [*sent(SECRET[:9], channel="a"), *sent(SECRET[9:], channel="b")]
    assert find_leaks(SECRET, both)


def test_each_sight_is_reported_where_it_stands() -> None:
    found = find_leaks(SECRET, sent(SECRET, "nothing", SECRET[::-1]))
    assert [(leak.encoding, leak.pointer.seq) for leak in found] == [("raw", 0), ("reversed", 2)]


def test_a_secret_across_the_border_of_a_window_is_found() -> None:
    for start in (WINDOW - 12, WINDOW, 2 * WINDOW - 1):
        assert encoding_in(SECRET, "x" * start + SECRET + "y" * 10) == "raw"


def test_a_secret_that_chance_could_write_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than 12"):
        find_leaks("short", sent("short"))


@settings(max_examples=300)
@given(st.text(), st.text())
def test_a_raw_secret_is_found_in_whatever_text(before: str, after: str) -> None:
    assert encoding_in(SECRET, before + SECRET + after) == "raw"
    quoted = plain_json({"said": (before + SECRET + after)}, indent=None)
    assert encoding_in(SECRET, quoted) == "raw"


@settings(max_examples=300)
@given(st.text())
def test_no_text_holds_a_secret_that_was_not_put_there(text: str) -> None:
    assert encoding_in(SECRET, text) == ""
