import gzip
import hashlib
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from proxy.wholebody import BodyTooLargeError, guessed, hides, plain, within

TEXT = "月".encode() * 100


def raw_deflate(data: bytes) -> bytes:
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(data) + machine.flush()


ENCODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("Deflate ", raw_deflate),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
]


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_an_encoding_is_undone(name: str, encode: Callable[[bytes], bytes]) -> None:
    assert plain(encode(TEXT), name, 1000) == TEXT


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_a_body_that_grows_over_the_limit_is_refused(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    packed = encode(bytes(10_000_000))
    assert len(packed) < 100_000
    with pytest.raises(BodyTooLargeError):
        plain(packed, name, 1000)


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_a_cut_or_wrongly_labelled_body_is_kept_as_it_came(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    cut = encode(TEXT)[:-3]
    assert plain(cut, name, 1000) in (cut, TEXT)
    assert plain(b"{}", name, 1000) == b"{}"


def test_an_unknown_encoding_is_left_alone() -> None:
    assert plain(b"x", "", 10) == b"x"
    assert plain(b"x", "rot13", 10) == b"x"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_two_bodies_behind_each_other_stay_as_they_came(pack: Callable[[bytes], bytes]) -> None:
    """C57: clients differ in whether they read the second; half of it would be a silent cut."""
    name = "gzip" if pack is gzip.compress else "zstd"
    both = pack(b"first half, " * 30) + pack(b"second half")
    assert plain(both, name, 10_000) is both
    assert plain(pack(b"first half, " * 30), name, 10_000) == b"first half, " * 30


@pytest.mark.parametrize("encoding", ["gzip, gzip", "identity, gzip,gzip", "GZIP , x-gzip"])
def test_a_list_of_encodings_is_undone_from_its_end(encoding: str) -> None:
    assert plain(gzip.compress(gzip.compress(TEXT)), encoding, 1000) == TEXT
    assert plain(brotli.compress(zlib.compress(TEXT)), "deflate, identity, br", 1000) == TEXT


def test_a_list_that_cannot_be_undone_to_its_end_leaves_the_very_bytes() -> None:
    packed = gzip.compress(gzip.compress(TEXT))
    for encoding in ("rot13, gzip", "gzip, gzip, gzip", "identity", ", ".join(["gzip"] * 6)):
        assert plain(packed, encoding, 1000) is packed


def test_a_list_is_bounded_at_each_of_its_encodings() -> None:
    packed = gzip.compress(gzip.compress(bytes(10_000_000)))
    for read in (plain, lambda *more: list(within(*more))):
        with pytest.raises(BodyTooLargeError):
            read(packed, "gzip, gzip", 5000)
    with pytest.raises(BodyTooLargeError, match="more than 5"):
        list(within(packed, ", ".join(["gzip"] * 6), 5000))


NOISE = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(300))
"""What compresses to more than one step."""


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_a_broken_body_is_read_as_far_as_it_goes(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    whole = encode(b"a key " + NOISE + b" and its end")
    (cut,) = within(whole[:-3], name, 100_000)
    assert (b"a key " + NOISE).startswith(cut[:9000])
    if name != "zstd":  # whose blocks are whole or nothing
        assert len(cut) > 8000, "also what stands in the step that breaks"
    (found,) = within(whole + b"x", name, 100_000)
    assert found.startswith(b"a key ")
    assert found.endswith(b" and its end")
    assert all(len(part) < 2 for part in within(b"{}", name, 100)), "no head, no body"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_every_body_that_stands_behind_another_is_read(pack: Callable[[bytes], bytes]) -> None:
    name = "gzip" if pack is gzip.compress else "zstd"
    both = pack(NOISE) + pack(b"second ") + pack(b"third") + b"!"
    assert list(within(both, name, 100_000)) == [NOISE + b"second third"]


def test_a_body_that_is_spoilt_in_the_middle_is_read_up_to_there() -> None:
    machine = zlib.compressobj(wbits=31)
    packed = machine.compress(b"a key ") + machine.flush(zlib.Z_SYNC_FLUSH) + b"\xff" * 20
    assert list(within(packed, "gzip", 1000)) == [b"a key "]
    assert list(within(gzip.compress(packed), "gzip, gzip", 1000)) == [packed, b"a key "]


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_a_broken_body_that_grows_over_the_limit_is_refused(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(BodyTooLargeError):
        list(within(encode(bytes(10_000_000)) + b"x", name, 1000))


def without_key(data: bytes) -> bytes:
    return data.replace(b"a key", b"[hidden]")


@pytest.mark.parametrize(("name", "encode"), ENCODINGS)
def test_a_body_in_a_coding_that_nobody_named_is_read(
    name: str, encode: Callable[[bytes], bytes]
) -> None:
    packed = encode(b"a key " + NOISE)
    assert b"a key " + NOISE in list(guessed(packed, 100_000))
    assert b"a key " + NOISE in list(guessed(gzip.compress(packed), 100_000)), "and one within it"
    cut = [found for found in guessed(packed, 1000) if found.startswith(b"a key ")]
    assert max(map(len, cut)) == 1000, "as far as the limit, which a file may well be over"
    for said in ("", "rot13", "compress", name):
        assert hides(packed[:-1], said, 100_000, without_key)
        assert not hides(encode(b"nothing " + NOISE)[:-1], said, 100_000, without_key)


@pytest.mark.parametrize("data", [b"", b"a key", "a key 月".encode(), b'{"a": "key"}' * 9])
def test_a_text_is_in_no_coding(data: bytes) -> None:
    assert list(guessed(data, 1000)) == []
    assert not hides(data, "", 1000, without_key)
