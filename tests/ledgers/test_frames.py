"""ledgers.frames: names and dtypes are pinned, and every number is counted a second time here."""

import importlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard

import ledgers
from grid.errors import ConfigError
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests import builders
from tests.ledgers.runs import ENVIRONMENT, TRIALS, finished, make_run, plan, trial

pd = importlib.import_module("pandas")

PINNED = {
    "scenario": "category", "number": "category", "case": "category", "framework": "category",
    "model": "category", "clause": "category", "guards": "category", "language": "category",
    "trial": "Int64", "outcome": "category", "rule": "category", "rule_version": "Int64",
    "family": "category", "verdict": "category", "cause": "category", "reason": "string",
    "utility": "category", "alarm": "category", "claim": "category", "exposed": "boolean",
    "proposed": "boolean", "executed": "boolean", "delivered": "boolean", "claimed": "category",
    "status": "category", "calls": "Int64", "requests": "Int64", "input_tokens": "Int64",
    "output_tokens": "Int64", "latency_ms": "Int64", "model_ms": "Float64", "seed": "string",
    "evidence": "string", "head": "category",
}  # fmt: skip
TIMED = {"wall_ms": 12, "note": "", "exchanges": [[0.5, 1, 3.25], [4, 5, 6], [7, 8, 9]]}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed run whose provider counts tokens, with times of the wire."""
    folder = tmp_path_factory.mktemp("framed") / "run"
    plain = builders.completion
    with pytest.MonkeyPatch.context() as patch:
        said = {"usage": {"prompt_tokens": 100, "completion_tokens": 7}}
        patch.setattr(builders, "completion", lambda message: plain(message) | said)
        manifest = build_manifest(plan())
        with RunDirectory.create(folder, manifest) as made:
            for of in TRIALS:
                made.keep(finished(of, manifest), TIMED)
            seal(made, ENVIRONMENT)
    return folder


@pytest.fixture(scope="module")
def framed(run: Path) -> pd.DataFrame:
    return ledgers.frame(run)


def recount(run: Path) -> list[dict[str, Any]]:
    """Count everything again from the files, with nothing of the code under test."""
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_bytes().splitlines()]
    frames = [json.loads(line) for line in (run / "packs.idx").read_bytes().splitlines()]

    def content(trial: str, pack: str, file: str) -> bytes | None:
        for at in frames:
            if (at["trial"], at["pack"]) == (trial, pack):
                data = (run / file).read_bytes()[at["offset"] : at["offset"] + at["length"]]
                return zstandard.ZstdDecompressor().decompress(data)
        return None

    found = []
    for body in (line["body"] for line in lines if line["kind"] == "trial"):
        parts = ("scenario", "framework", "model", "clause", "guards", "language", "number")
        name = "/".join(str(body["trial"][part]) for part in parts)
        kept = content(name, "evidence", "evidence.pack")
        assert kept is not None
        wire = content(name, "recording", "recordings.pack")
        asked = None if wire is None else [json.loads(line) for line in wire.splitlines()]
        usage = [json.loads(one["response"]["body"]["text"])["usage"] for one in asked or ()]
        counted = {
            "trial": name,
            "outcome": body["outcome"],
            "utility": body["utility"],
            "claimed": body["funnel"]["claimed"],
            "delivered": body["funnel"]["delivered"],
            "calls": len(json.loads(kept)["journal"]["calls"]),
            "requests": None if asked is None else len(asked),
            "input_tokens": None if asked is None else sum(u["prompt_tokens"] for u in usage),
            "output_tokens": None if asked is None else sum(u["completion_tokens"] for u in usage),
            "evidence": body["evidence"],
        }
        found += [
            counted | {
                "rule": verdict["rule"],
                "verdict": verdict["outcome"],
                "reason": next(iter(verdict["reasons"]), None),
            }
            for verdict in body["verdicts"]
        ]  # fmt: skip
    return found


def test_names_and_dtypes_are_pinned(framed: pd.DataFrame) -> None:
    assert {name: str(dtype) for name, dtype in framed.dtypes.items()} == PINNED
    assert list(framed.columns) == list(PINNED)
    assert dict(ledgers.DTYPES) == PINNED


def test_the_docstring_tells_each_column_with_its_dtype() -> None:
    table = (ledgers.frame.__doc__ or "").splitlines()
    for name, dtype in PINNED.items():
        assert any(line.split()[:2] == [name, dtype] for line in table), name


def test_an_independent_recount_of_the_files_gives_the_same_rows(
    run: Path, framed: pd.DataFrame
) -> None:
    counted = recount(run)
    assert len(counted) == len(framed) > len(TRIALS)
    parts = ["scenario", "framework", "model", "clause", "guards", "language", "trial"]
    for wanted, (_, row) in zip(counted, framed.iterrows(), strict=True):
        assert "/".join(str(row[part]) for part in parts) == wanted.pop("trial")
        for name, value in wanted.items():
            assert pd.isna(row[name]) if value is None else row[name] == value, name
    assert framed["input_tokens"].max() == 400, "the recount has seen tokens"


def test_the_outcomes_of_the_trials_are_those_of_the_ledger(
    run: Path, framed: pd.DataFrame
) -> None:
    trials = framed.drop_duplicates([*ledgers.TRIAL])
    assert len(trials) == len(TRIALS)
    wanted = Counter(entry.outcome for entry in SealedRun(run).trials)
    assert trials["outcome"].isna().sum() == wanted.pop(None) == 1, "that of the twin"
    assert trials["outcome"].value_counts().to_dict() == dict(wanted)
    assert trials.loc[trials["case"] == "benign", "alarm"].tolist() == ["quiet"]
    assert set(trials["head"]) == {SealedRun(run).head.head}


def test_times_are_those_of_the_timings_and_missing_where_one_is(framed: pd.DataFrame) -> None:
    trials = framed.drop_duplicates([*ledgers.TRIAL])
    assert (trials["latency_ms"] == 12).all()
    three = trials["requests"] == 3
    assert (trials.loc[three, "model_ms"] == 2.75 + 2 + 2).all()
    assert three.any()
    assert trials.loc[~three.fillna(False), "model_ms"].isna().all(), "not one time per request"


def test_without_timings_the_times_are_missing_and_nothing_else_is(
    run: Path, framed: pd.DataFrame, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "timings.jsonl").unlink()
    bare = ledgers.frame(tmp_path / "run")
    assert bare[["latency_ms", "model_ms"]].isna().all(axis=None)
    kept = [name for name in PINNED if name not in ("latency_ms", "model_ms")]
    pd.testing.assert_frame_equal(bare[kept], framed[kept])


def test_tokens_are_missing_where_the_provider_did_not_say(sealed: tuple[Path, object]) -> None:
    found = ledgers.frame(sealed[0])
    assert found[["input_tokens", "output_tokens"]].isna().all(axis=None)
    wired = found["framework"] != "scripted"
    assert found.loc[~wired, "requests"].isna().all()
    assert (found.loc[wired, "requests"] > 0).all()


def test_several_runs_stand_below_one_another_and_one_run_never_twice(
    run: Path, sealed: tuple[Path, object], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    make_run(other, [trial("moon_for_mars", "scripted", "liar")])
    both = ledgers.frame([run, SealedRun(other)])
    assert len(both) == len(ledgers.frame(run)) + len(ledgers.frame(str(other)))
    assert both["head"].nunique() == 2
    with pytest.raises(ConfigError, match="the same head: they are one run"):
        ledgers.frame([other, other])
    with pytest.raises(ConfigError, match="at least one"):
        ledgers.frame([])


def test_what_is_no_finished_run_or_is_damaged_is_said_in_a_sentence(
    run: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="holds no finished run"):
        ledgers.frame(tmp_path)
    shutil.copytree(run, tmp_path / "run")
    data = bytearray((tmp_path / "run" / "evidence.pack").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "run" / "evidence.pack").write_bytes(data)
    with pytest.raises(ConfigError, match=r"cannot be read: .*`nonverba verify` names the step"):
        ledgers.frame(tmp_path / "run")


def test_importing_the_package_loads_neither_pandas_nor_the_rest() -> None:
    code = (
        "import sys, ledgers; "
        "heavy = [name for name in sys.modules if name.startswith(('pandas', 'ledgers.', 'grid'))];"
        "print(heavy); assert 'frame' in dir(ledgers); import ledgers.frames; "
        "print('pandas' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(ledgers.__file__).parent.parent,
    )  # fmt: skip
    assert said.stdout.splitlines() == ["[]", "False"]
    with pytest.raises(AttributeError, match="no attribute 'frames_of'"):
        _ = ledgers.frames_of


def test_without_pandas_the_extra_is_named(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match=r"install nonverba\[stats\]"):
        ledgers.frame(run)
