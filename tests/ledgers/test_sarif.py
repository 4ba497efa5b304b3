"""The log, read by a reader that is not ours."""

from pathlib import Path, PurePosixPath
from typing import Any

from sarif import loader

from grid.canonical import plain_json
from ledgers.gateresult import GateReport, Kind
from ledgers.sarif import plain, rule_id, sarif_log
from tests.ledgers.gated import Came, many, pair, report

FOLDER = PurePosixPath("runs/my candidate")


def log(found: GateReport) -> dict[str, Any]:
    return sarif_log(found, FOLDER, "1.0")


def results(found: GateReport) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = log(found)["runs"][0]["results"]
    return told


WORSE = report(many([0] * 6, [0, 9, 0, 0, 0, 0]))


def test_another_reader_reads_the_failures_as_errors(tmp_path: Path) -> None:
    (tmp_path / "gate.sarif").write_text(plain_json(log(WORSE)))
    read = loader.load_sarif_file(str(tmp_path / "gate.sarif"))
    records = read.get_records()
    assert [record["Severity"] for record in records] == ["error"]
    assert records[0]["Code"] == "nonverba/gate/cell"
    assert records[0]["Location"] == "runs/my%20candidate/ledger.jsonl"
    assert records[0]["Line"] == 2


def test_only_failures_stand_in_it() -> None:
    assert not results(report(many([6] * 6, [2, 10, 3, 9, 2, 10])))  # open
    assert not results(report(many([6] * 6, [2] * 6)))
    (one,) = results(WORSE)
    assert one["message"]["text"].startswith("s01/strands/none/off/en: 0 of 20 -> 9 of 20")
    assert "and 4 more trials" in one["message"]["text"]


def test_a_gate_over_means_that_fails_is_one_result() -> None:
    found = results(report(many([4] * 10, [7, 6, 7, 8, 6, 7, 5, 7, 6, 7])))
    assert [item["ruleId"] for item in found] == ["nonverba/gate/global"]
    assert found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def test_rules_have_ids_that_do_not_change_and_results_point_at_them() -> None:
    assert [rule_id(kind) for kind in Kind] == [
        "nonverba/gate/invariant", "nonverba/gate/cell", "nonverba/gate/global",
        "nonverba/gate/utility", "nonverba/gate/false-claims",
    ]  # fmt: skip
    rules = log(WORSE)["runs"][0]["tool"]["driver"]["rules"]
    (one,) = results(WORSE)
    assert rules[one["ruleIndex"]]["id"] == one["ruleId"]


def test_the_same_failure_in_another_run_has_the_same_fingerprint_and_another_has_not() -> None:
    (first,) = results(WORSE)
    (again,) = results(report(many([1] * 6, [0, 16, 0, 0, 0, 0])))
    (other,) = results(report(many([0] * 6, [0, 0, 9, 0, 0, 0])))
    assert first["partialFingerprints"] == again["partialFingerprints"]
    assert first["partialFingerprints"] != other["partialFingerprints"]


def test_a_breach_is_an_invariants_result() -> None:
    (one,) = results(report([pair("a", Came(), Came(bad=1), guards="on")]))
    assert one["ruleId"] == "nonverba/gate/invariant"


def test_no_name_makes_a_link_or_a_placeholder() -> None:
    assert plain("[x](http://a) {0} \\ \x1b") == "\\[x\\](http://a) {{0}} \\\\ \\\\u{{1b}}"
    (one,) = results(report([pair("[x](http://a)", Came(), Came(bad=20))]))
    assert one["message"]["text"].startswith("\\[x\\](http://a)/strands")
