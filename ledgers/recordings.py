"""A folder of recordings that belong to no run: what `nonverba proxy --record DIR` leaves.

Each session of the proxy is one recording: its canonical exchanges as zstd frames in
``<session>.zst``, and what is known of it in ``sessions.json``: its name, the length, digest and
number of exchanges of each frame, and whether anything is missing. While the proxy runs, and for
good if it is killed, the recorder's own files stand in ``partial/``; they are read as well, as
incomplete.

A sealed session that is not what ``sessions.json`` says is left out and named, and the others are
read; where none can be, nor ``sessions.json`` itself, the folder is refused.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grid.canonical import MAX_BYTES, canonical, digest, load_json, scrub_text
from grid.errors import CanonicalError, ConfigError, HarnessError, StrictError
from grid.strict import LATER, from_json, to_json
from ledgers.packs import pack_frame, unpack_frame
from ledgers.runlock import PARTIAL, lock_run
from proxy.wire.exchange import Exchange, Gap, exchange_lines, read_exchanges
from proxy.wire.partial import read_partial

RECORDINGS_FORMAT = 1
"""Version of the folder; bumped at each change."""
SESSIONS = "sessions.json"
LONGEST = 16 * 1024 * 1024
"""Bytes of a ``sessions.json``."""
FRAME_BYTES = 16 * 1024 * 1024
"""Canonical bytes of one frame, where it holds more than one exchange."""
MOST_BYTES = 4 * 1024 * 1024 * 1024
"""Bytes of one recording that are read at all."""
DETAIL = 2000
"""Characters that are kept of what is said about damaged places."""
SEEN = (Gap.EMPTY, Gap.CUT_TAIL, Gap.BAD_LINE, Gap.NOT_CLOSED, Gap.UNANSWERED)
"""Gaps that are seen in the recorder's file itself, so that there is more to say of them."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KIND = "recording"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRecord:
    """One frame of a recording."""

    length: int
    """Its compressed length in bytes."""
    digest: str
    """Digest of the canonical bytes of its exchanges."""
    count: int
    """Number of exchanges in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """What the folder says of one session."""

    name: str
    """Name of the session."""
    parts: tuple[PartRecord, ...]
    """Frames, in order."""
    complete: bool
    """Nothing is missing."""
    reason: str
    """Why something is: a word of `proxy.wire.exchange.Gap`; empty if complete."""
    detail: str = field(default="", metadata=LATER)
    """Which places of the recorder's own file do not read, in a sentence for people; not written
    where there is nothing to add to the reason."""

    @property
    def count(self) -> int:
        """Number of exchanges."""
        return sum(part.count for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingsIndex:
    """The content of ``sessions.json``."""

    format: int
    """RECORDINGS_FORMAT."""
    upstreams: tuple[str, ...]
    """Base URLs that the sessions could be sent to, in order: they tell what a path stands for."""
    sessions: tuple[SessionRecord, ...]
    """Sessions, in the order they were named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The content of ``partial/sessions.json``."""

    format: int
    """RECORDINGS_FORMAT."""
    upstreams: tuple[str, ...]
    """As in `RecordingsIndex`."""
    files: dict[str, str]
    """Name of a file of the recorder without its ending -> session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as read."""

    record: SessionRecord
    """What is known of it."""
    exchanges: tuple[Exchange, ...]
    """Its exchanges, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A session that is named and cannot be read."""

    name: str
    """Name of the session."""
    why: str
    """What is wrong with it, in a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recordings:
    """A folder as read."""

    upstreams: tuple[str, ...]
    """As in `RecordingsIndex`."""
    sessions: tuple[Session, ...]
    """Sessions, in the order they were named."""
    damaged: tuple[Damaged, ...] = ()
    """Those that cannot be read."""


def check_session(name: str) -> str:
    """Return a session name that can be a file name everywhere.

    Raises:
        ConfigError: it cannot.
    """
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise ConfigError(
            f"--session {name!r}: write letters, digits, dots, dashes and underscores, 64 at most, "
            "a letter or digit first"
        )
    return name


def check_sessions(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of sessions that can be files beside each other everywhere, each once.

    Raises:
        ConfigError: one cannot, or two differ in the case of their letters alone.
    """
    found = tuple(dict.fromkeys(map(check_session, names)))
    folded: dict[str, str] = {}
    for name in found:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            raise ConfigError(
                f"--session: {other!r} and {name!r} would be one file on many systems; name one of "
                "them otherwise"
            )
    return found


class RecordingFolder:
    """A folder that is being recorded into; nobody else may write to it meanwhile."""

    def __init__(self, path: Path, upstreams: tuple[str, ...] = ()) -> None:
        """Make it.

        Raises:
            ConfigError: something is there already.
            HarnessError: another process records into it.
        """
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise ConfigError(f"--record: {path} is no folder; name a new one")
        if path.exists() and any(path.iterdir()):
            raise ConfigError(f"--record: {path} is not empty; name a new folder")
        path.mkdir(mode=0o700, parents=True, exist_ok=True)  # prompts are nobody else's business
        self._lock = lock_run(path)
        self._path = path
        self._upstreams = upstreams
        self.live = path / PARTIAL
        """Folder of the recorder's files, mode 0700."""
        self.live.mkdir(mode=0o700)

    def note(self, stems: Mapping[str, str]) -> None:
        """Note which session each file of the recorder belongs to, should the end never come.

        Args:
            stems: name of a file of the recorder without its ending -> session.
        """
        live = Live(format=RECORDINGS_FORMAT, upstreams=self._upstreams, files=dict(stems))
        _write(self.live / SESSIONS, canonical(to_json(live)) + b"\n")

    def seal(
        self, files: Mapping[str, Path | None], known: Mapping[str, str]
    ) -> tuple[Session, ...]:
        """Put the recordings into their final form and remove the recorder's files.

        Args:
            files: session -> the recorder's file, None if there is none.
            known: session -> what the proxy says is missing, a word of `Gap`; empty for nothing.

        Raises:
            OSError: something cannot be written; the recorder's files are kept then.
        """
        sessions = []
        for name, file in files.items():
            raw = b"" if file is None else file.read_bytes()
            record, frames, exchanges = _record(name, raw, known[name])
            _write(self._path / f"{name}.zst", b"".join(frames))
            sessions.append(Session(record=record, exchanges=exchanges))
        index = RecordingsIndex(
            format=RECORDINGS_FORMAT,
            upstreams=self._upstreams,
            sessions=tuple(item.record for item in sessions),
        )
        _write(self._path / SESSIONS, canonical(to_json(index)) + b"\n")
        shutil.rmtree(self.live)
        self.close()
        return tuple(sessions)

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.close()


def holds_recordings(path: Path) -> bool:
    """Tell whether a folder was recorded into by `nonverba proxy`, finished or not."""
    return (path / SESSIONS).is_file() or (path / PARTIAL / SESSIONS).is_file()


def read_recordings(path: Path) -> Recordings:
    """Read every session of a folder that can be read, of one whose proxy was killed too.

    Raises:
        ConfigError: it holds none, or none that reads; the sentence names the file.
    """
    try:
        if (path / SESSIONS).is_file():
            index = from_json(RecordingsIndex, _read(path / SESSIONS))
            return _read_sealed(path, index)
        if (path / PARTIAL / SESSIONS).is_file():
            live = from_json(Live, _read(path / PARTIAL / SESSIONS))
            return Recordings(
                upstreams=live.upstreams, sessions=tuple(_unsealed(path / PARTIAL, live.files))
            )
    except (CanonicalError, StrictError, HarnessError, OSError) as error:
        raise ConfigError(f"the recordings in {path} cannot be read: {error}") from error
    raise ConfigError(
        f"{path} holds no recordings; name the folder that `nonverba proxy --record` wrote"
    )


def _read(path: Path) -> Any:
    value = load_json(_bounded(path))
    form = value.get("format") if isinstance(value, dict) else None
    if form != RECORDINGS_FORMAT:
        raise StrictError(f"{path.name}: /format: expected {RECORDINGS_FORMAT}, found {form!r}")
    return value


def _read_sealed(path: Path, index: RecordingsIndex) -> Recordings:
    for record in index.sessions:
        _check_record(record)
    sessions, damaged = [], []
    for record in index.sessions:
        try:
            sessions.append(_sealed(path, record))
        except (CanonicalError, StrictError, HarnessError, OSError) as error:
            damaged.append(Damaged(name=record.name, why=str(error)))
    if damaged and not sessions:
        raise StrictError("; ".join(item.why for item in damaged[:3]))
    return Recordings(upstreams=index.upstreams, sessions=tuple(sessions), damaged=tuple(damaged))


def _check_record(record: SessionRecord) -> None:
    if not _NAME.fullmatch(record.name):
        raise StrictError(f"/sessions: {record.name!r} is no name of a session")
    worded = record.reason in ("", *Gap) and (not record.complete or not record.detail)
    if record.complete == bool(record.reason) or not worded:
        raise StrictError(f"{SESSIONS} does not say in its own words what {record.name} lacks")


def _sealed(path: Path, record: SessionRecord) -> Session:
    file = path / f"{record.name}.zst"
    data = _bounded(file, MOST_BYTES)
    lengths = [part.length for part in record.parts]
    if len(data) != sum(lengths) or min(lengths, default=1) < 1:
        raise StrictError(f"{file.name} is not what {SESSIONS} says")
    exchanges: list[Exchange] = []
    for part in record.parts:
        frame, data = data[: part.length], data[part.length :]
        content = unpack_frame(frame)
        if digest(_KIND, content) != part.digest:
            raise StrictError(f"{file.name} is not what {SESSIONS} says")
        found = read_exchanges(content)
        if len(found) != part.count or (exchanges and found and found[0].n <= exchanges[-1].n):
            raise StrictError(f"{SESSIONS} does not fit {file.name}")
        exchanges += found
    return Session(record=record, exchanges=tuple(exchanges))


def _unsealed(live: Path, stems: Mapping[str, str]) -> Iterable[Session]:
    for stem, name in stems.items():
        if not _NAME.fullmatch(stem) or not _NAME.fullmatch(name):
            raise StrictError(f"{PARTIAL}/{SESSIONS}: {stem!r} or {name!r} is no plain name")
        files = [entry for entry in live.iterdir() if entry.stem == stem]
        raw = _bounded(files[0], MOST_BYTES) if files else b""
        record, _, exchanges = _record(name, raw, "")
        yield Session(record=record, exchanges=exchanges)


def _record(
    name: str, raw: bytes, known: str
) -> tuple[SessionRecord, list[bytes], tuple[Exchange, ...]]:
    """Return what there is to say of a session, its frames, and its exchanges."""
    found = read_partial(raw)
    parts, frames = [], []
    reason = known or (found.reason.value if found.reason else "")
    for group in _grouped(found.exchanges):
        data = b"".join(group)
        if len(data) > MAX_BYTES:  # one exchange that no reader would take
            reason = reason or Gap.TOO_LARGE.value
            continue
        frames.append(pack_frame(data))
        parts.append(
            PartRecord(length=len(frames[-1]), digest=digest(_KIND, data), count=len(group))
        )
    told = found.reason in SEEN and reason == found.reason
    record = SessionRecord(
        name=name,
        parts=tuple(parts),
        complete=not reason,
        reason=reason,
        detail=scrub_text(found.detail[:DETAIL]) if told else "",
    )
    return record, frames, found.exchanges


def _grouped(exchanges: Iterable[Exchange]) -> Iterator[list[bytes]]:
    """Yield canonical lines in groups of at most `FRAME_BYTES`; one alone may be longer."""
    group: list[bytes] = []
    size = 0
    for exchange in exchanges:
        line = exchange_lines([exchange])
        if group and size + len(line) > FRAME_BYTES:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line)
    if group:
        yield group


def _bounded(path: Path, most: int = LONGEST) -> bytes:
    """Read a plain file up to a length; nothing of somebody else's making is waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        made = os.fstat(descriptor)
        if not stat.S_ISREG(made.st_mode):
            raise StrictError(f"{path.name} is no plain file")
        if made.st_size > most:
            raise StrictError(f"{path.name} is over {most} bytes")
        return file.read(most)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_bytes(data)
        os.replace(new, path)
    except OSError:
        with suppress(OSError):  # the first error is the one to tell
            new.unlink()
        raise
