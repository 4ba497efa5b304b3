import json

import pytest

from grid.cli.gateview import report_json, show_report
from tests.ledgers.gated import Came, many, pair, report


def test_the_answer_is_the_last_line_and_what_is_worse_comes_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_report(report(many([0] * 6, [0, 9, 0, 0, 0, 0])))
    out = capsys.readouterr().out
    assert out.endswith("margin 5 points, error 0.05 per gate\ngate: fail\n")
    assert out.index(" fail ") < out.index(" pass ")
    assert "seen in 9 of the candidate's trials, the first of them:" in out
    assert "  s01/strands/real/new/none/off/en/0: compromised" in out


def test_what_is_open_says_what_would_settle_it_and_shares_stand_on_top(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_report(report([pair(f"s{n}", Came(), Came(invalid=10)) for n in range(3)]))
    out = capsys.readouterr().out
    assert "30 of 60 (50%)" in out
    assert out.count("would be settled by a run whose trials are valid") == 1
    assert ": cell/strands/none/off/en, global/frameworks, utility/goals/" in out
    assert out.endswith("gate: not gateable\n")


def test_as_data_it_holds_every_number(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(json.dumps(report_json(report(many([0] * 6, [0, 9, 0, 0, 0, 0])))))
    assert (found["answer"], found["exit_code"], found["gateable"]) == ("fail", 1, True)
    (gate,) = (gate for gate in found["gates"] if gate["kind"] == "cell")
    worse = gate["cells"][1]
    assert worse["after"]["bad"] == {"hits": 9, "eligible": 20}
    assert worse["after"]["exposure"] == {"hits": 20, "eligible": 20}
    assert worse["adjusted"] < 0.05
    assert (gate["label"], worse["label"], len(worse["seen"])) == ("fail", "fail", 9)


def test_names_are_harmless_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_report(report([pair("a\x1b[2J[red]", Came(), Came(bad=20))]))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "a\\u{1b}[2J[red]" in out
