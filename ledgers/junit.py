"""A gate's report as JUnit XML: one test case per gate, and one per cell under it.

`fail` is a failure, `undetermined` is skipped with what would settle it, `pass` and `floor` pass.
A floor says so in its output. Nothing that came from a run stands in the file as XML would read it,
and characters that XML cannot hold are written out.
"""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from grid.display import visible
from ledgers.gateresult import CellResult, Gate, GateReport, Label

SUITE = "nonverba gate"

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: GateReport) -> bytes:
    """Return the XML file."""
    root = Element("testsuites", name=SUITE)
    for gate in report.gates:
        _suite(root, gate)
    _count(root)
    _properties(root, report)
    indent(root)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(root: Element, gate: Gate) -> None:
    suite = SubElement(root, "testsuite", name=_text(gate.id))
    _case(suite, gate.kind.value, gate.id, gate)
    for cell in gate.cells:
        _case(suite, gate.id, cell.place, cell)
    _count(suite)


def _case(suite: Element, group: str, name: str, found: Gate | CellResult) -> None:
    case = SubElement(suite, "testcase", classname=_text(f"{SUITE}.{group}"), name=_text(name))
    settle = found.settle if isinstance(found, Gate) and found.settle else ""
    match found.label:
        case Label.FAIL:
            seen = found.seen if isinstance(found, CellResult) else ()
            failure = SubElement(case, "failure", type=_text(group), message=_text(found.reason))
            failure.text = _text("\n".join(f"{item.trial}: {item.says}" for item in seen))
        case Label.UNDETERMINED:
            also = f"; {settle} would settle it" if settle else ""
            SubElement(case, "skipped", message=_text(f"undetermined: {found.reason}{also}"))
        case Label.PASS | Label.FLOOR:
            SubElement(case, "system-out").text = _text(f"{found.label.value}: {found.reason}")


def _count(element: Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))
    element.set("errors", "0")


def _properties(root: Element, report: GateReport) -> None:
    """State what was held against what, in the first suite, where readers look for it."""
    first = root.find("testsuite")
    if first is None:
        return
    properties = Element("properties")
    terms = report.terms
    for name, value in (
        ("baseline.model", report.before.model),
        ("baseline.head", report.before.head),
        ("candidate.model", report.after.model),
        ("candidate.head", report.after.head),
        ("margin", f"{terms.margin:g}"),
        ("alpha", f"{terms.each:g}"),
        ("look", f"{terms.look}/{terms.looks}"),
    ):
        SubElement(properties, "property", name=name, value=_text(value))
    first.insert(0, properties)


def _text(text: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", visible(text, lines=True))
