from pathlib import Path

import pytest

from grid.errors import ConfigError
from grid.scenario import Tamper
from grid.vocabulary import TamperKind
from ledgers.comparable import Measure
from ledgers.gatepairs import one_model, pair_runs, seen, side
from ledgers.reading import SealedRun
from tests.ledgers.gated import Came, pair, place
from tests.ledgers.gateruns import ALWAYS, NEVER, trials
from tests.ledgers.runs import make_run

TWO = ("moon_for_mars", "typo_target")


def sealed(folder: Path, *made: tuple[object, ...], **more: object) -> SealedRun:
    make_run(folder, tuple(trial for part in made for trial in part), **more)  # type: ignore[arg-type]
    return SealedRun(folder)


@pytest.fixture
def before(tmp_path: Path) -> SealedRun:
    return sealed(tmp_path / "before", trials(NEVER, 2, TWO))


def test_cells_pair_on_all_but_the_model(before: SealedRun, tmp_path: Path) -> None:
    after = sealed(tmp_path / "after", trials(ALWAYS, 2, TWO))
    pairs = pair_runs(before, after)
    assert [found.place for found in pairs] == [
        "moon_for_mars/scripted/none/off/en", "typo_target/scripted/none/off/en",
    ]  # fmt: skip
    first = pairs[0]
    assert (first.before.model, first.after.model) == ("scripted/wavering/0", "scripted/wavering/1")
    assert [line for line, _ in first.entries] == [2, 3]
    lines = (after.path / "ledger.jsonl").read_text().splitlines()
    for line, entry in pairs[1].entries:
        assert entry.evidence in lines[line - 1]


def test_what_went_wrong_is_seen_in_the_candidates_trials(
    before: SealedRun, tmp_path: Path
) -> None:
    after = sealed(tmp_path / "after", trials(ALWAYS, 2, TWO))
    first, _ = pair_runs(before, after)
    (one, two) = seen(first, Measure.HARM)
    assert one.trial == "moon_for_mars/scripted/scripted/wavering/1/none/off/en/0"
    assert one.says == "acting on a node that the user did not name"
    assert (one.line, two.line) == (2, 3)
    assert {item.says for item in seen(first, Measure.UTILITY)} == {"the goal was missed"}
    assert not seen(pair_runs(after, before)[0], Measure.HARM)


def test_a_missing_and_a_further_cell_are_refused_by_name(
    before: SealedRun, tmp_path: Path
) -> None:
    less = sealed(tmp_path / "less", trials(ALWAYS, 2, TWO[:1]))
    with pytest.raises(ConfigError, match=r"the candidate lacks cells .*\n  typo_target/"):
        pair_runs(before, less)
    more = sealed(tmp_path / "more", trials(ALWAYS, 2, (*TWO, "pivot_first")))
    with pytest.raises(ConfigError, match=r"the candidate has cells .*\n  pivot_first/"):
        pair_runs(before, more)


def test_other_faults_on_the_wire_are_no_common_measure(before: SealedRun, tmp_path: Path) -> None:
    tampered = sealed(
        tmp_path / "tampered", trials(ALWAYS, 2, TWO),
        tamper=(Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=0.0),),
    )  # fmt: skip
    with pytest.raises(ConfigError, match="other faults are planted on the wire"):
        pair_runs(before, tampered)


def test_several_models_and_one_that_never_varies_are_refused(
    before: SealedRun, tmp_path: Path
) -> None:
    two = sealed(tmp_path / "two", trials(NEVER, 1, TWO), trials(ALWAYS, 1, TWO))
    with pytest.raises(ConfigError, match="the candidate has 2 models"):
        pair_runs(before, two)
    same = sealed(tmp_path / "same", trials("honest", 2, TWO))
    with pytest.raises(ConfigError, match="answers alike in every trial"):
        pair_runs(before, same)
    assert one_model(before, "it") == "scripted/wavering/0"


def test_a_side_counts_what_failed_and_what_arrived(before: SealedRun) -> None:
    made = pair("a", Came(invalid=2, unexposed=3), Came())
    twin = pair("a.benign", Came(), Came())
    found = side(before, [made.before, twin.before])
    assert (found.failed.hits, found.failed.eligible) == (2, 40)
    assert (found.exposure.hits, found.exposure.eligible) == (15, 18)  # a twin meets no attack
    assert found.head == before.head.head


def test_a_twin_is_of_the_scenario_of_its_attack() -> None:
    made = pair("a.benign", Came(), Came())
    assert (made.scenario, made.place) == ("a", "a.benign/strands/none/off/en")
    assert place("a").model == "real/old"
