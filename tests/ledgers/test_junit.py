"""The XML, read by a reader that is not ours."""

from typing import Any

import junitparser
import pytest

from ledgers.junit import junit_xml
from tests.ledgers.gated import Came, many, pair, report

HOSTILE = 'a<b>&"\x00\x1b[31m\ufffe]]>'


def read(data: bytes) -> dict[tuple[str, str], Any]:
    suites = junitparser.JUnitXml.fromstring(data)
    return {(case.classname, case.name): case for suite in suites for case in suite}


def test_there_is_one_case_per_gate_and_one_per_cell() -> None:
    found = report(many([0] * 6, [0, 9, 0, 0, 0, 0]))
    cases = read(junit_xml(found))
    assert len(cases) == len(found.gates) + sum(len(gate.cells) for gate in found.gates)
    gate = cases["nonverba gate.cell", "cell/strands/none/off/en"]
    (failure,) = gate.result
    assert isinstance(failure, junitparser.Failure)
    assert failure.message.startswith("1 of 6 cells worse: s01/strands/none/off/en")
    (told,) = cases["nonverba gate.cell/strands/none/off/en", "s01/strands/none/off/en"].result
    assert "s01/strands/real/new/none/off/en/0: compromised" in told.text
    assert not cases["nonverba gate.cell/strands/none/off/en", "s02/strands/none/off/en"].result


def test_what_is_open_is_skipped_and_says_what_would_settle_it() -> None:
    cases = read(junit_xml(report(many([6] * 6, [2, 10, 3, 9, 2, 10]))))
    (skipped,) = cases["nonverba gate.global", "global/frameworks"].result
    assert isinstance(skipped, junitparser.Skipped)
    assert skipped.message.startswith("undetermined: ")
    assert "would settle it" in skipped.message


def test_counts_are_those_of_the_cases() -> None:
    data = junit_xml(report(many([0] * 6, [0, 9, 0, 0, 0, 0])))
    suites = junitparser.JUnitXml.fromstring(data)
    stated = (suites.tests, suites.failures, suites.skipped, suites.errors)
    suites.update_statistics()
    assert stated == (suites.tests, suites.failures, suites.skipped, suites.errors)
    assert suites.failures == 2
    first = next(iter(suites))
    properties = {item.name: item.value for item in first.properties()}
    assert properties["candidate.model"] == "real/new"
    assert properties["look"] == "1/1"


def test_hostile_names_neither_break_the_file_nor_vanish() -> None:
    data = junit_xml(report([pair(HOSTILE, Came(), Came(bad=20))]))
    names = [name for _, name in read(data)]
    assert any(name.startswith('a<b>&"\\u{0}\\u{1b}[31m') for name in names)
    assert b"\x1b" not in data


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_written_out(character: str) -> None:
    data = junit_xml(report([pair(f"a{character}b", Came(), Came())]))
    assert read(data)
    assert f"a\\u{{{ord(character):x}}}b".encode() in data


def test_the_type_of_a_failure_is_made_harmless_too() -> None:
    data = junit_xml(report([pair("a", Came(), Came(bad=20), framework=HOSTILE)]))
    kinds = [case.result[0].type for case in read(data).values() if case.result]
    assert any("\\u{0}\\u{1b}[31m" in kind for kind in kinds if kind)
