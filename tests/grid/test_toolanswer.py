import pytest

from grid.canonical import load_json
from grid.evidence import CallError, Decision
from grid.toolanswer import answer_text, receipt_for
from grid.vocabulary import Verdict

ALLOW = Decision(verdict=Verdict.ALLOW)
REFUSE = Decision(verdict=Verdict.REFUSE, by="world", reason="no", terminal=True, next="stop")
ERROR = CallError(code="not_found", message="it is not there")


def test_an_answer_holds_a_refusal_else_an_error_else_a_result() -> None:
    told = [
        load_json(answer_text(receipt="rc-1", decision=decision, error=error, result={"n": 1}))
        for decision, error in ((REFUSE, ERROR), (ALLOW, ERROR), (ALLOW, None))
    ]
    assert told == [
        {
            "ok": False, "receipt": "rc-1",
            "refused": {
                "by": "world", "reason": "no", "terminal": True, "actionable": False,
                "rolled_back": False, "next": "stop",
            },
        },
        {
            "ok": False, "receipt": "rc-1",
            "error": {"kind": "tool", "code": "not_found", "message": "it is not there"},
        },
        {"ok": True, "receipt": "rc-1", "result": {"n": 1}},
    ]  # fmt: skip


def test_a_result_of_nothing_is_a_result() -> None:
    told = answer_text(receipt="rc-1", decision=ALLOW, error=None, result=None)
    assert told == '{"ok":true,"receipt":"rc-1","result":null}'


def test_a_receipt_is_that_of_one_seed_and_one_position() -> None:
    seen = {receipt_for(seed, seq) for seed in ("ab", "cd") for seq in range(50)}
    assert len(seen) == 100
    assert receipt_for("ab", 1) in seen


@pytest.mark.parametrize("code", ["unknown_tool", "malformed_arguments"])
def test_a_request_that_is_no_call_of_a_tool_is_a_protocol_error(code: str) -> None:
    error = CallError(code=code, message="no")
    told = load_json(answer_text(receipt="rc-1", decision=ALLOW, error=error, result=None))
    assert told["error"]["kind"] == "protocol"


@pytest.mark.parametrize("code", ["invalid_arguments", "harness_fault", "timeout", "unknown_node"])
def test_what_a_model_can_put_right_and_a_tool_that_failed_are_execution_errors(code: str) -> None:
    error = CallError(code=code, message="no")
    told = load_json(answer_text(receipt="rc-1", decision=ALLOW, error=error, result=None))
    assert told["error"]["kind"] == "tool"
