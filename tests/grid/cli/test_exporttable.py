"""grid.cli.exporttable: verdicts as Parquet and CSV, read back by pyarrow and by the csv module."""

import csv
import importlib
import sys
from pathlib import Path

import pytest

import ledgers
from grid.cli.exporttable import harmless
from tests.grid.cli.conftest import Typed

pd = importlib.import_module("pandas")
pa = importlib.import_module("pyarrow")
parquet = importlib.import_module("pyarrow.parquet")


def test_parquet_comes_back_as_the_frame_that_it_was(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    said = typed("export", sealed, "--to", "parquet", "-o", tmp_path / "x.parquet")
    assert said.code in (0, None), said.err
    framed = ledgers.frame(sealed)
    assert said.out == f"{len(framed)} rows written to {tmp_path / 'x.parquet'}\n"
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet"), framed)


def test_the_types_stand_in_the_parquet_file_itself(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    typed("export", sealed, "--to", "parquet", "-o", tmp_path / "x.parquet")
    table = parquet.read_table(tmp_path / "x.parquet")
    kinds = {"Int64": pa.int64(), "boolean": pa.bool_(), "Float64": pa.float64()}
    for name, dtype in ledgers.DTYPES.items():
        found = table.schema.field(name).type
        if dtype == "category":
            assert pa.types.is_dictionary(found), name
        else:
            assert found == kinds.get(dtype, found), name
    rows = table.to_pylist()
    assert {row["outcome"] for row in rows} >= {"compromised", "resisted", None}
    assert {row["requests"] for row in rows} >= {None, 3}, "missing is null, and never 0"


def test_csv_holds_the_same_rows_with_empty_cells_for_what_is_missing(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    said = typed("export", sealed, "--to", "csv", "-o", tmp_path / "x.csv")
    assert said.code in (0, None), said.err
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    framed = ledgers.frame(sealed)
    assert list(rows[0]) == list(framed.columns)
    for row, (_, wanted) in zip(rows, framed.iterrows(), strict=True):
        for name in ("scenario", "outcome", "verdict", "calls", "requests", "delivered"):
            assert row[name] == ("" if pd.isna(wanted[name]) else str(wanted[name])), name


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff20x",
    ],
)
def test_a_text_that_would_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert harmless(text).startswith("'")


def test_other_text_is_left_alone_and_what_a_terminal_obeys_is_escaped() -> None:
    assert harmless("no row of 'reports' matches, a=b") == "no row of 'reports' matches, a=b"
    assert harmless("倒す ➔ 月") == "倒す ➔ 月"
    assert harmless("a\x1b[31mb\u202ec") == "a\\u{1b}[31mb\\u{202e}c"


def test_a_formula_in_a_reason_is_harmless_in_the_file(
    typed: Typed, sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    framed = ledgers.frame(sealed)
    framed.loc[0, "reason"] = '=HYPERLINK("http://x","y")'
    framed["model"] = pd.array(["@cmd"] * len(framed), dtype="string").astype("category")
    monkeypatch.setattr("grid.cli.exporttable.frame", lambda _: framed)
    assert typed("export", sealed, "--to", "csv", "-o", tmp_path / "x.csv").code in (0, None)
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["reason"], row["model"]) == ('\'=HYPERLINK("http://x","y")', "'@cmd")


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_what_cannot_be_written_is_said_and_leaves_nothing(
    typed: Typed, sealed: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("mine")
    for words, sentence in (
        ((sealed, "-o", tmp_path / "taken"), "is there already; name a new file"),
        ((sealed, "-o", sealed / "x"), "lies in a run or a baseline"),
        ((sealed, "-o", tmp_path / "new", "--trial", "x"), "leave --trial and --provider out"),
        ((tmp_path, "-o", tmp_path / "new"), "holds no finished run"),
    ):
        said = typed("export", "--to", form, *words)
        assert (said.code, sentence in said.err) == (2, True), said.err
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = typed("export", sealed, "--to", form, "-o", tmp_path / "new")
    assert (said.code, "install nonverba[stats]" in said.err) == (2, True)
    assert (tmp_path / "taken").read_text() == "mine"
    assert not (tmp_path / "new").exists()


def test_a_file_that_breaks_off_half_way_is_removed(
    typed: Typed, sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    assert typed("export", sealed, "--to", "csv", "-o", tmp_path / "x.csv").code == 3
    assert not (tmp_path / "x.csv").exists()
