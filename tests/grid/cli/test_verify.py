"""`nonverba verify`: what it says of a run that holds, of one that does not, and of neither."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ledgers.manifest import build_manifest
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests.grid.cli.commands import head
from tests.grid.cli.conftest import Typed
from tests.ledgers.runs import ENVIRONMENT, TRIALS, finished, plan

ZEROS = "0" * 64


def test_a_run_that_holds_is_verified_and_its_head_printed(typed: Typed, sealed: Path) -> None:
    done = typed("verify", sealed)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        f"verified: 6 trials, every verdict recomputed\nhead {head(sealed)}\n"
    )


def test_without_a_head_from_elsewhere_it_says_what_that_leaves_open(
    typed: Typed, sealed: Path
) -> None:
    warning = "No head from elsewhere was given"
    assert warning in typed("verify", sealed).out
    assert warning not in typed("verify", sealed, "--head", head(sealed)).out


def test_another_head_than_the_expected_one_is_a_finding(typed: Typed, sealed: Path) -> None:
    done = typed("verify", sealed, "--head", ZEROS)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("nonverba: step ")


def test_as_data_it_says_whether_the_head_was_pinned(typed: Typed, sealed: Path) -> None:
    pinned = json.loads(typed("verify", sealed, "--json", "--head", head(sealed)).out)
    assert pinned == {"verified": True, "head": head(sealed), "trials": 6, "pinned": True}
    assert json.loads(typed("verify", sealed, "--json").out)["pinned"] is False


def test_as_data_a_failure_is_on_standard_output_with_its_step(typed: Typed, copy: Path) -> None:
    lines = (copy / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "ledger.jsonl").write_bytes(b"".join(lines[:2] + lines[3:]))
    done = typed("verify", copy, "--json")
    plain = typed("verify", copy)
    said = json.loads(done.out)
    assert (done.code, plain.code, said["verified"]) == (1, 1, False)
    sentence = f"step {said['step']} ({said['name']}): {said['detail']}"
    assert plain.err == f"nonverba: {sentence}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        ZEROS[1:],
        ZEROS + "0",
        "G" * 64,
        "A" * 64,
        " " + ZEROS[1:],
        "\N{ARABIC-INDIC DIGIT ZERO}" * 64,
    ],
)
def test_what_is_no_head_is_a_matter_of_usage_and_no_finding(
    typed: Typed, sealed: Path, text: str
) -> None:
    done = typed("verify", sealed, "--head", text)
    assert (done.code, done.out) == (2, "")
    assert "--head: write the 64 hex digits" in done.err


def test_a_place_that_is_no_folder_is_a_matter_of_usage(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in ("file", "nowhere"):
        done = typed("verify", tmp_path / place)
        assert (done.code, "is no folder" in done.err) == (2, True)


@pytest.mark.parametrize("name", ["thesis.tex", "\x1b[2J"])
def test_a_folder_that_holds_something_else_does_not_hold(
    typed: Typed, copy: Path, name: str
) -> None:
    (copy / name).write_text("x")
    done = typed("verify", copy)
    assert done.code == 1
    assert done.err.startswith("nonverba: step ")
    assert "\x1b" not in done.err


def test_an_empty_folder_is_no_verified_run(typed: Typed, tmp_path: Path) -> None:
    done = typed("verify", tmp_path)
    assert (done.code, done.out) == (1, "")


def test_a_scenario_that_was_not_released_fails_unless_that_is_allowed(
    typed: Typed, tmp_path: Path
) -> None:
    built = build_manifest(plan(TRIALS[:2]))
    weakened = tuple(replace(of, title="other") for of in built.scenarios)
    manifest = replace(built, scenarios=weakened)
    with RunDirectory.create(tmp_path / "run", manifest) as run:
        for of in manifest.trials:
            run.keep(finished(of, manifest), {})
        seal(run, ENVIRONMENT)
    refused = typed("verify", tmp_path / "run")
    assert (refused.code, "moon_for_mars" in refused.err) == (1, True)
    assert typed("verify", tmp_path / "run", "--allow-unknown").code == 0
