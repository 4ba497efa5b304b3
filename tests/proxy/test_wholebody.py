import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from proxy.wholebody import BodyTooLargeError, plain

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
