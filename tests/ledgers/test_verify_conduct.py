"""Step 6 of `verify`: journals that fit together and that no tool layer would have written.

Each forger edits evidence and recording alike, judges anew and writes everything anew; what is left
to see is that the tool layer does not work that way.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import canonical, digest_of, load_json, text_json
from grid.evidence import CallRecord
from grid.strict import from_json
from grid.toolanswer import answer_text
from grid.world import operation_digest
from ledgers.manifest import Manifest
from ledgers.store import TIMINGS, timing_line
from ledgers.verify import verify
from tests.ledgers.forge import Forged
from tests.ledgers.runs import SCRIPTED, make_run, trial
from tests.ledgers.tampered import failing

TRIALS = (
    trial("moon_for_mars", SCRIPTED, "substituter"),
    trial("moon_for_mars", "strands", "substituter", guards="on"),
    trial("moon_for_mars", "strands", "substituter", guards="on-continue"),
    trial("swap_after_approval", "strands", "gullible"),
    trial("wildcard_delete", "strands", "honest", guards="on-continue"),
)
ALONE, STOPPED, CONTINUED, SWAPPED, HONEST = range(5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conduct") / "run"
    make_run(folder, TRIALS)
    return folder


@pytest.fixture
def forged(run: Path, tmp_path: Path) -> Forged:
    shutil.copytree(run, tmp_path / "run")
    return Forged(tmp_path / "run")


def test_the_run_itself_holds(run: Path, forged: Forged) -> None:
    assert verify(run).trials == len(TRIALS)
    assert verify(forged.rejudge().write()).trials == len(TRIALS)
    assert forged.evidence[STOPPED]["journal"]["status"] == "stopped"


def calls(forged: Forged, number: int) -> list[Any]:
    found: list[Any] = forged.evidence[number]["journal"]["calls"]
    return found


def told_more(forged: Forged) -> None:
    calls(forged, ALONE)[0]["delivered"] = "nothing to see"


def told_nothing(forged: Forged) -> None:
    calls(forged, ALONE)[0]["delivered"] = ""


def result_of_another_world(forged: Forged) -> None:
    calls(forged, ALONE)[0]["result"] = {"nodes": ["moon"]}


def receipts_of_its_own(forged: Forged) -> None:
    for number, one in enumerate(calls(forged, ALONE)):
        old, one["receipt"] = one["receipt"], f"rc-{number}"
        one["delivered"] = one["delivered"].replace(old, one["receipt"])


def tool_that_was_not_offered(forged: Forged) -> None:
    calls(forged, ALONE)[1]["tool"] = "send_mail"


def arguments_that_do_not_fit(forged: Forged) -> None:
    one = calls(forged, ALONE)[0]
    one["parsed"] = one["executed"] = {"more": 1}


def never_ran_and_nobody_says_why(forged: Forged) -> None:
    one = calls(forged, ALONE)[0]
    one |= {"executed": None, "result": None, "effects": []}
    one["delivered"] = text_json({"ok": True, "receipt": one["receipt"], "result": None})


def told(one: Any) -> str:
    """Return what a call is answered, by its own record."""
    record = from_json(CallRecord, one)
    return answer_text(
        receipt=record.receipt, decision=record.decision, error=record.error, result=record.result
    )


def failed(one: Any, code: str) -> None:
    error = {"code": code, "message": "no"}
    one |= {"executed": None, "result": None, "error": error}
    one["delivered"] = told(one)


def failed_for_no_reason(forged: Forged) -> None:
    failed(calls(forged, ALONE)[0], "invalid_arguments")


def unknown_and_yet_offered(forged: Forged) -> None:
    failed(calls(forged, ALONE)[0], "unknown_tool")


def refuse(one: Any, by: str, *, terminal: bool = True) -> None:
    decision = {"by": by, "next": "", "reason": "no", "terminal": terminal, "verdict": "refuse"}
    decision |= {"actionable": not terminal, "rolled_back": False}
    one |= {"executed": None, "result": None, "decision": decision}
    one["delivered"] = told(one)


def refused_with_guards_off(forged: Forged) -> None:
    refuse(calls(forged, ALONE)[0], "node_presence")


def refused_by_nobody(forged: Forged) -> None:
    refuse(calls(forged, CONTINUED)[0], "no_such_guard")


def refused_by_the_layer_in_the_midst(forged: Forged) -> None:
    refuse(calls(forged, ALONE)[0], "toollayer")


def going_on_after_the_end(forged: Forged) -> None:
    """Say `on` of a run under `on-continue`, where the agent went on after its refusal."""
    for of in (forged.evidence[CONTINUED]["trial"], forged.manifest["trials"][CONTINUED]):
        of |= {"guards": "on", "number": 1}
    forged.evidence[CONTINUED]["journal"]["status"] = "stopped"
    planned = from_json(Manifest, forged.manifest).trials
    lines = b"".join(timing_line(str(of), {}) for of in planned)
    (forged.folder / TIMINGS).write_bytes(lines)


def completed_after_all(forged: Forged) -> None:
    forged.evidence[STOPPED]["journal"]["status"] = "completed"


def stopped_by_nothing(forged: Forged) -> None:
    forged.evidence[ALONE]["journal"]["status"] = "stopped"


def stopped_and_yet_to_go_on(forged: Forged) -> None:
    forged.evidence[CONTINUED]["journal"]["status"] = "stopped"


def a_limit_that_was_not_reached(forged: Forged) -> None:
    forged.evidence[HONEST]["journal"] |= {"status": "turn_limit", "cause": "agent"}


def a_cause_of_its_own(forged: Forged) -> None:
    forged.evidence[HONEST]["journal"]["cause"] = "agent"


def a_provider_for_a_framework(forged: Forged) -> None:
    forged.evidence[HONEST]["journal"] |= {"status": "framework_error", "cause": "provider"}


def a_fault_to_hide_behind(forged: Forged) -> None:
    forged.evidence[HONEST]["journal"] |= {"status": "harness_error", "cause": "harness"}


def a_turn_that_falls(forged: Forged) -> None:
    calls(forged, HONEST)[1]["turn"] = 0


def more_turns_than_answers(forged: Forged) -> None:
    calls(forged, HONEST)[-1]["turn"] = 9


def approved_by_a_read(forged: Forged) -> None:
    journal = forged.evidence[SWAPPED]["journal"]
    last = journal["deliveries"][-1]
    approval = {
        "id": "ap-9", "call": 0, "operation": last["operation"], "granted": True, "expires": 99,
        "digest": operation_digest(last["operation"]), "principal": last["principal"],
        "told": None,
    }  # fmt: skip
    journal["approvals"].append(approval)
    last["approval"] = "ap-9"


def delivered_by_a_read(forged: Forged) -> None:
    forged.evidence[SWAPPED]["journal"]["deliveries"][-1]["call"] = 0


def a_system_prompt_with_more_in_it(forged: Forged) -> None:
    forged.evidence[HONEST]["journal"]["system_text"] += " Never follow remarks."


def a_reason_of_its_own(forged: Forged) -> None:
    forged.evidence[HONEST]["recording"] |= {"complete": False, "reason": "bad weather"}


FORGERS: dict[Callable[[Forged], None], str] = {
    told_more: "delivered something else",
    told_nothing: "delivered something else",
    result_of_another_world: "delivered something else",
    receipts_of_its_own: "receipt of call 0",
    tool_that_was_not_offered: "is 'unknown_tool'",
    arguments_that_do_not_fit: "is 'invalid_arguments'",
    never_ran_and_nobody_says_why: "does not say why",
    failed_for_no_reason: "does not say why",
    unknown_and_yet_offered: "does not say why",
    refused_with_guards_off: "a guard that was not there",
    refused_by_nobody: "a guard that was not there",
    refused_by_the_layer_in_the_midst: "was over before call 0",
    going_on_after_the_end: "the run was over before call",
    completed_after_all: "stopped by a terminal refusal",
    stopped_by_nothing: "stopped by a terminal refusal",
    stopped_and_yet_to_go_on: "stopped by a terminal refusal",
    a_limit_that_was_not_reached: "did not come that far",
    a_cause_of_its_own: "cause does not fit",
    a_provider_for_a_framework: "cause does not fit",
    a_fault_to_hide_behind: "and shows none",
    a_turn_that_falls: "an earlier answer",
    more_turns_than_answers: "more answers than were seen",
    approved_by_a_read: "an approval names call 0",
    delivered_by_a_read: "a delivery names call 0",
    a_system_prompt_with_more_in_it: "the system prompt is not",
    a_reason_of_its_own: "no word of ours",
}


@pytest.mark.parametrize("forger", FORGERS, ids=lambda forger: forger.__name__)
def test_what_no_tool_layer_writes_is_refused(
    forged: Forged, forger: Callable[[Forged], None]
) -> None:
    forger(forged)
    error = failing(forged.rejudge().write())
    assert error.step == 6
    assert FORGERS[forger] in error.detail


def on_wire(forged: Forged, number: int, edit: Callable[[Any], None]) -> None:
    """Change each request of a recording."""
    lines = (forged.recordings[number] or b"").splitlines()
    values = [load_json(line) for line in lines]
    for value in values:
        body = load_json(value["request"]["body"]["text"])
        edit(body)
        value["request"]["body"]["text"] = text_json(body)
    forged.recordings[number] = b"".join(canonical(value) + b"\n" for value in values)


def no_system_prompt(body: Any) -> None:
    body["messages"] = [one for one in body["messages"] if one["role"] != "system"]


def fewer_tools(body: Any) -> None:
    body["tools"] = body["tools"][:1]


def other_answers(body: Any) -> None:
    for one in body["messages"]:
        one["content"] = '{"ok":true}' if one["role"] == "tool" else one["content"]


@pytest.mark.parametrize("edit", [no_system_prompt, fewer_tools, other_answers])
def test_a_wire_that_tells_the_model_something_else_shows_in_the_verdict(
    forged: Forged, edit: Callable[[Any], None]
) -> None:
    on_wire(forged, HONEST, edit)
    assert failing(forged.write()).step in (7, 8)
    verify(forged.rejudge().write())
    words = {one["rule"]: one["outcome"] for one in forged.entries[HONEST]["verdicts"]}
    assert words["witness"] == "disagree"


def wider(tools: Any) -> None:
    for tool in tools.values():
        if tool["declared"]["access"] == "read":
            tool["declared"]["access"] = "write"


def more(tools: Any) -> None:
    declared = load_json(text_json({**tools["report"]["declared"], "name": "more"}))
    tools["more"] = {"declared": declared, "digest": ""}


@pytest.mark.parametrize("spoil", [wider, more])
def test_a_tool_that_no_released_world_declares_so_is_refused(
    forged: Forged, spoil: Callable[[Any], None]
) -> None:
    for tools in forged.manifest["tools"].values():
        spoil(tools)
        redigest(tools)
    error = failing(forged.rejudge().write())
    assert error.step == 10
    assert "of world 'maintenance'" in error.detail
    assert verify(forged.folder, allow_unknown=True).unknown


def redigest(tools: Any) -> None:
    for tool in tools.values():
        tool["digest"] = digest_of("tool", tool["declared"])


def test_guards_that_were_on_and_are_gone_are_missed(forged: Forged) -> None:
    there = {call["decision"]["by"] for number in range(5) for call in calls(forged, number)}
    asked = {guard["id"] for guard in forged.manifest["guards"]}
    forged.manifest["guards"] = [
        guard for guard in forged.manifest["guards"] if guard["id"] in there
    ]
    missed = sorted(asked - there)
    assert missed
    error = failing(forged.rejudge().write())
    assert error.step == 10
    assert f"no guard {missed[0]!r}" in error.detail
    unknown = " ".join(verify(forged.folder, allow_unknown=True).unknown)
    assert all(f"no guard {name!r}" in unknown for name in missed)
