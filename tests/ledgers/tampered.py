"""Spoiling a copy of a sealed run, one thing at a time: shared by the tests of `ledgers.verify`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import canonical, digest_of, load_json
from grid.errors import VerificationError
from ledgers.packs import INDEX, Pack
from ledgers.store import HEAD, LEDGER
from ledgers.verify import STEPS, verify
from tests.ledgers.forge import resum

type Copy = Callable[[], Path]

WIRED = 3
"""A trial of the small run that has a recording: honest, resisted."""
BAD = 1
"""One that is compromised, without a wire."""

HOSTILE = {
    "nesting": b"[" * 200_000,
    "closed nesting": b"[" * 100_000 + b"]" * 100_000,
    "a huge integer": b'{"format":' + b"9" * 100_000 + b"}\n",
    "a huge exponent": b'{"format":1e999999999}\n',
    "NaN": b'{"format":NaN}\n',
    "a duplicate key": b'{"format":1,"format":1}\n',
    "a lone surrogate": b'{"format":"\\ud800"}\n',
    "no text": b"\xff\xfe\x00",
    "nothing": b"",
    "another shape": b"[1,2,3]\n",
    "null": b"null\n",
    "spaces": b'{ "format": 1 }\n',
}


def failing(folder: Path, head: str | None = None, **more: Any) -> VerificationError:
    with pytest.raises(VerificationError) as caught:
        verify(folder, head, **more)
    error = caught.value
    assert error.name == STEPS[error.step]
    assert "\n" not in error.detail
    return error


def edit(data: Any, path: str, value: Any) -> None:
    """Set one part of a JSON value."""
    *parents, last = path.split("/")
    for part in parents:
        data = data[int(part) if isinstance(data, list) else part]
    data[int(last) if isinstance(data, list) else last] = value


def lines_of(folder: Path) -> list[bytes]:
    return (folder / LEDGER).read_bytes().splitlines(keepends=True)


def with_lines(folder: Path, lines: list[bytes]) -> Path:
    (folder / LEDGER).write_bytes(b"".join(lines))
    return resum(folder)


def relinked(values: list[Any]) -> list[bytes]:
    prev, lines = "0" * 64, []
    for seq, value in enumerate(values):
        content = {"seq": seq, "prev": prev, "kind": value["kind"], "body": value["body"]}
        prev = digest_of("entry", content)
        lines.append(canonical({**content, "digest": prev}) + b"\n")
    return lines


def with_head(folder: Path, lines: list[bytes]) -> Path:
    """Write a chain and the head that fits it."""
    head = {"count": len(lines), "format": 1, "head": load_json(lines[-1])["digest"]}
    (folder / HEAD).write_bytes(canonical(head) + b"\n")
    return with_lines(folder, lines)


def index_of(folder: Path) -> list[Any]:
    return [load_json(line) for line in (folder / INDEX).read_bytes().splitlines()]


def with_index(folder: Path, lines: list[Any]) -> Path:
    (folder / INDEX).write_bytes(b"".join(canonical(line) + b"\n" for line in lines))
    return resum(folder)


def with_frame(folder: Path, frame: bytes) -> Path:
    """Put another frame in place of the first trial's evidence."""
    lines = index_of(folder)
    pack = (folder / Pack.EVIDENCE.file).read_bytes()
    first, shift = lines[0], len(frame) - lines[0]["length"]
    (folder / Pack.EVIDENCE.file).write_bytes(frame + pack[first["length"] :])
    first["length"] = len(frame)
    for line in lines[1:]:
        if line["pack"] == "evidence":
            line["offset"] += shift
    return with_index(folder, lines)
