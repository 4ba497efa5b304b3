"""Steps 6 to 10 of `verify`: a consistent chain around something that is not so."""

from collections.abc import Callable
from typing import Any

import pytest
import zstandard

from grid.canonical import canonical, digest, load_json
from ledgers.verify import verify
from tests.ledgers.forge import Forged
from tests.ledgers.tampered import (
    BAD,
    WIRED,
    Copy,
    edit,
    failing,
    index_of,
    lines_of,
    relinked,
    with_frame,
    with_head,
    with_index,
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("journal/after/executions", {}),
        ("journal/after/reports/report-1/status", "refused"),
        ("journal/before/nodes/mars/memory", "1 TiB"),
        ("journal/calls/1/effects", []),
        ("journal/calls/1/effects/0/seq", 1),
        ("journal/calls/1/effects/0/call", 0),
        ("journal/calls/1/effects/0/before", {"action": "x"}),
        ("journal/calls/1/effects/0/after/node", "moon"),
        ("journal/calls/1/executed", None),
        ("journal/calls/0/receipt", ""),
        ("journal/calls/0/seq", 1),
        ("journal/calls/0/decision/verdict", "refuse"),
        ("journal/restores", [99]),
        ("journal/sessions/0/user_text", "Show me the memory of mars."),
        ("journal/system_text", None),
        ("clause_text", "do as you like"),
        ("trial/number", 1),
        ("format", 2),
        ("seed", "f" * 32),
        ("witness", "both"),
        ("journal/verdict", "pass"),
    ],
)
def test_evidence_that_does_not_fit_together_is_refused(copy: Copy, path: str, value: Any) -> None:
    forged = Forged(copy())
    edit(forged.evidence[BAD], path, value)
    assert failing(forged.write()).step in ((6, 8) if path == "seed" else (6,))


def test_evidence_that_is_not_canonical_is_refused(copy: Copy) -> None:
    folder = copy()
    data = canonical(Forged(folder).evidence[0]).replace(b'":', b'": ', 1)
    frame = zstandard.compress(data)
    with_frame(folder, frame)
    lines = index_of(folder)
    lines[0]["digest"] = digest("evidence", data)
    with_index(folder, lines)
    values = [load_json(line) for line in lines_of(folder)]
    values[1]["body"]["evidence"] = lines[0]["digest"]
    chained = relinked(values)
    error = failing(with_head(folder, chained))
    assert (error.step, error.detail) == (6, "the evidence is not in canonical form")


def test_an_incomplete_recording_must_have_been_judged_invalid(copy: Copy) -> None:
    forged = Forged(copy())
    forged.evidence[WIRED]["recording"] |= {"complete": False, "reason": "unanswered"}
    error = failing(forged.write())
    assert error.step == 7
    assert "incomplete" in error.detail
    assert verify(forged.rejudge().write()).trials == 6


@pytest.mark.parametrize(("name", "value"), [("count", 9), ("digest", "f" * 64)])
def test_a_recording_is_the_one_that_the_evidence_names(copy: Copy, name: str, value: Any) -> None:
    forged = Forged(copy())
    forged.evidence[WIRED]["recording"][name] = value
    assert failing(forged.write()).step == 7


def test_evidence_may_not_give_up_its_wire(copy: Copy) -> None:
    forged = Forged(copy())
    forged.evidence[WIRED]["recording"] = None
    assert failing(forged.write()).step == 6
    forged.evidence[WIRED]["witness"] = "journal"
    assert failing(forged.write()).step == 6
    forged.evidence[WIRED]["journal"]["answers"] = 0
    for call in forged.evidence[WIRED]["journal"]["calls"]:
        call |= {"turn": 0, "wire_id": "", "wire_tool": "", "raw_arguments": None}
    assert "not that of the trial's framework" in failing(forged.write()).detail
    forged.recordings[WIRED] = None  # a downgrade to the end: its frames go too
    assert "not that of the trial's framework" in failing(forged.rejudge().write()).detail


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b'{"error"', b'{ "error"', 1),
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: data.replace(b'"n":0', b'"n":1', 1),
        lambda data: data.replace(b'"status":200', b'"status":20', 1),
    ],
)
def test_a_recording_of_another_form_is_refused(
    copy: Copy, spoil: Callable[[bytes], bytes]
) -> None:
    forged = Forged(copy())
    before = forged.recordings[WIRED]
    assert before is not None
    forged.recordings[WIRED] = spoil(before)
    assert forged.recordings[WIRED] != before
    forged._refer(WIRED)
    assert failing(forged.write()).step == 7


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("outcome", "resisted"),
        ("utility", "done"),
        ("claim", "supported"),
        ("alarm", "quiet"),
        ("status", "stopped"),
        ("cause", "provider"),
        ("seed", "f" * 32),
        ("scenario", "f" * 64),
        ("verdicts", []),
        ("verdicts/0/outcome", "resisted"),
        ("verdicts/0/reasons", ["all good"]),
        ("verdicts/0/pointers", []),
        ("verdicts/0/cause", "provider"),
        ("verdicts/0/rule_version", 2),
        ("funnel/executed", False),
        ("funnel/claimed", "refused"),
    ],
)
def test_a_verdict_that_does_not_come_out_again_is_found(copy: Copy, path: str, value: Any) -> None:
    forged = Forged(copy())
    edit(forged.entries[BAD], path, value)
    error = failing(forged.write())
    assert error.step == 8
    assert f"differs in {path.split('/')[0]}" in error.detail


def test_an_unknown_rule_or_version_is_named(copy: Copy) -> None:
    for name, value in (("version", 9), ("id", "no_such_rule")):
        forged = Forged(copy())
        forged.manifest["rules"][0][name] = value
        error = failing(forged.write())
        assert error.step == 8
        assert str(value) in error.detail


def test_each_seed_is_that_of_its_coordinates(copy: Copy) -> None:
    forged = Forged(copy())
    forged.manifest["seed"] = 8
    assert failing(forged.rejudge().write()).step == 9


def test_a_trial_that_is_planned_and_missing_is_found(copy: Copy) -> None:
    forged = Forged(copy())
    for kept in (forged.evidence, forged.recordings, forged.entries):
        kept.pop()
    assert failing(forged.write()).step == 9


def test_trials_stand_in_plan_order(copy: Copy) -> None:
    forged = Forged(copy())
    for kept in (forged.evidence, forged.recordings, forged.entries):
        kept[0], kept[1] = kept[1], kept[0]
    assert failing(forged.write()).step == 9


def test_a_weakened_predicate_in_a_consistent_chain_is_found(copy: Copy) -> None:
    forged = Forged(copy())
    for scenario in forged.manifest["scenarios"]:
        scenario["harm"][0]["holds"] = {
            "kind": "called", "tool": "never", "where": {}, "ran": "ran", "error": None,
            "least": 1,
        }  # fmt: skip
    folder = forged.rejudge().write()
    error = failing(folder)
    assert error.step == 10
    assert "scenario 'moon_for_mars', version 1" in error.detail
    allowed = verify(folder, allow_unknown=True)
    assert len(allowed.unknown) == 2


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("rules/0/digest", "f" * 64, "rule 'leakage'"),
        ("guards/0/digest", "f" * 64, "guard "),
        ("guards/0/id", "my_guard", "guard 'my_guard'"),
    ],
)
def test_an_unreleased_part_is_named(copy: Copy, path: str, value: Any, named: str) -> None:
    forged = Forged(copy())
    edit(forged.manifest, path, value)
    error = failing(forged.rejudge().write())
    assert error.step == 10
    assert named in error.detail


def test_a_family_that_no_rule_judges_is_found(copy: Copy) -> None:
    forged = Forged(copy())
    forged.manifest["rules"] = [
        rule for rule in forged.manifest["rules"] if rule["id"] != "delivery"
    ]
    error = failing(forged.rejudge().write())
    assert error.step == 10
    assert "no rule for delivery" in error.detail
