"""`secret_archives`: what archives that are written out in a text say."""

import base64
import gzip
import io
import random
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.secret_archives import MOST_ARCHIVES, MOST_MEMBERS, MOST_UNPACKED, unpacked


def code(data: bytes) -> str:
    return base64.b64encode(data).decode()


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zip_of(*contents: bytes, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w", how) as archive:
            for number, content in enumerate(contents):
                archive.writestr(zipfile.ZipInfo(f"m{number}"), content, how)
        return out.getvalue()


def read(text: str) -> list[tuple[str, str]]:
    return list(unpacked(text))


@pytest.mark.parametrize("around", ["{}", "see {} there", '{{"file":"{}"}}', "data:a/b;base64,{}"])
def test_an_archive_is_found_wherever_it_stands(around: str) -> None:
    for data in (b"hello", b"hello!", b"hello!!", b""):
        assert read(around.format(code(gz(data)))) == [("base64 gzip", data.decode())]
    assert read(around.format(code(zip_of(b"one", b"two")))) == [
        ("base64 zip", "one"), ("base64 zip", "two"),
    ]  # fmt: skip
    assert read(around.format(gz(b"hello").hex())) == [("hex gzip", "hello")]
    assert read(around.format(zip_of(b"one").hex().upper())) == [("hex zip", "one")]


def test_one_level_is_unpacked_and_no_more() -> None:
    inner = code(gz(b"hello"))
    assert read(code(gz(inner.encode()))) == [("base64 gzip", inner)]


def test_what_is_merely_stored_is_read_as_well() -> None:
    first, second = read(code(zip_of(b"one", b"two", how=zipfile.ZIP_STORED)))
    assert first == ("base64 zip", "one")
    assert second[1].startswith("two")


def tar_of(*contents: bytes, how: int = tarfile.USTAR_FORMAT) -> bytes:
    with io.BytesIO() as out:
        with tarfile.open(fileobj=out, mode="w", format=how) as archive:
            for number, content in enumerate(contents):
                member = tarfile.TarInfo(f"m{number}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return out.getvalue()


@pytest.mark.parametrize("how", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT])
def test_a_tar_file_is_read_member_by_member(how: int) -> None:
    contents = (b"one", b"", b"x" * 600, b"four")
    found = read(f"see {code(tar_of(*contents, how=how))} there")
    assert [text.encode() for _, text in found] == list(contents)
    assert {name for name, _ in found} == {"base64 tar"}
    ((_, inner),) = read(code(gz(tar_of(b"one"))))
    assert "one" in inner


def test_a_tar_file_with_a_size_that_is_none_breaks_nothing() -> None:
    whole = tar_of(b"one", b"two")
    for size in (b"99999999999", b"\xff" * 11, b"-0000000001", b"77777777777", b" " * 11):
        read(code(whole[:124] + size + whole[135:]))


def test_a_file_that_is_cut_or_broken_gives_what_stands_before_the_fault() -> None:
    noise = bytes(random.Random(5).choices(range(97, 123), k=9000))  # noqa: S311 - a fixed text
    whole = gz(noise)
    for data in (whole[:4000], whole[:4000] + b"\xff" * 300 + whole[4300:]):
        ((_, text),) = read(code(data))
        assert noise.decode().startswith(text[:2000])
        assert len(text) > 2000


def test_a_bomb_gives_no_more_than_the_bound() -> None:
    bomb = gz(b"0" * (64 * MOST_UNPACKED))
    assert [len(text) for _, text in read(code(bomb))] == [MOST_UNPACKED]
    many = code(zip_of(*[b"0" * MOST_UNPACKED] * 5))
    assert sum(len(text) for _, text in read(many)) == MOST_UNPACKED
    numbers = [str(number).encode() for number in range(500)]
    assert len(read(", ".join(code(gz(one)) for one in numbers))) == MOST_ARCHIVES
    assert len(read(code(gz(b"".join(numbers))) + code(b"".join(map(gz, numbers))))) > MOST_MEMBERS
    assert len(read(code(b"".join(map(gz, numbers))))) <= MOST_MEMBERS * MOST_ARCHIVES
    assert len(read(code(zip_of(*numbers)))) <= MOST_MEMBERS * MOST_ARCHIVES


def test_archives_that_follow_each_other_without_padding_are_all_found() -> None:
    runs = " ".join(code(gz(word)).rstrip("=") for word in (b"one", b"three", b"seventh"))
    assert {text for _, text in read(runs)} >= {"one", "three", "seventh"}


@pytest.mark.parametrize("text", [
    "", "H4sI", "UEsDB", "1f8b08", "504b0304", "H4sI" + "A" * 9999, "UEsDB" * 999, "1f8b08" * 999,
    code(zlib.compress(b"hello" * 9)), code(b"PK\x05\x06" + bytes(18)), "H4sIAAAAAAAA/", "H4sI=",
])  # fmt: skip
def test_what_only_begins_like_an_archive_says_nothing(text: str) -> None:
    assert "".join(content for _, content in read(text)) == ""


@given(st.text(max_size=80), st.binary(max_size=60))
def test_no_text_breaks_it(text: str, data: bytes) -> None:
    read(text)
    read("H4sI" + text)
    read(code(b"\x1f\x8b\x08" + data))
    read(code(b"PK\x03\x04" + data))
    assert read(code(gz(data))) == [("base64 gzip", data.decode("utf-8", "replace"))]
