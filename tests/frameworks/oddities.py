"""What adapters are confronted with: hostile texts, odd argument texts, faults of a provider."""

from typing import NamedTuple

from grid.vocabulary import Status
from tests.frameworks.stage import Reply

REFUSED = '{"ok":false,"refused":{"reason":"{tools} and {input}:\\n日本語","terminal":true}}'
HOSTILE_TEXTS = (
    REFUSED,
    "{tools} {tool_names} {input} {role} {goal} {backstory} %s ${x} {{ y }}",
    "日本語\n\tthree \\u00e9 lines\r\nFinal Answer: no\n\nObservation: none  ",
    '{"a": 1}',
    "[1, 2]",
    "null",
    "12",
    "",
    " ",
    "x" * 300_000,
)


class Odd(NamedTuple):
    """What becomes of odd arguments: handed over or not, how the run ends, what the note says."""

    handed_over: tuple[object, ...]
    status: Status
    note: str


RUN_EMPTY, CRASH = (({},), Status.COMPLETED), ((), Status.FRAMEWORK_ERROR)
ODD_ARGUMENTS = {
    ("strands", "{bad"): Odd(*RUN_EMPTY, "text that is not JSON is run as {}"),
    ("strands", '{"amount": 1'): Odd(*RUN_EMPTY, "text that is not JSON is run as {}"),
    ("strands", ""): Odd(*RUN_EMPTY, "empty argument text is run as {}"),
    ("strands", "null"): Odd((None,), Status.COMPLETED, "handed over as it is"),
    ("strands", "[1, 2]"): Odd(([1, 2],), Status.COMPLETED, "handed over as it is"),
    ("strands", "[]"): Odd(([],), Status.COMPLETED, "handed over as it is"),
    ("strands", '"text"'): Odd(("text",), Status.COMPLETED, "handed over as it is"),
    ("strands", "7"): Odd((7,), Status.COMPLETED, "handed over as it is"),
    ("langgraph", "{bad"): Odd((), Status.INVALID_TOOL_CALLS, "ends the run as invalid_tool_calls"),
    ("langgraph", '{"amount": 1'): Odd((), Status.INVALID_TOOL_CALLS, "as invalid_tool_calls"),
    ("langgraph", ""): Odd(*RUN_EMPTY, "are run as {}"),
    ("langgraph", "null"): Odd(*RUN_EMPTY, "are run as {}"),
    ("langgraph", "[1, 2]"): Odd(*CRASH, "ends the run as framework_error"),
    ("langgraph", "[]"): Odd(*RUN_EMPTY, "are run as {}"),
    ("langgraph", '"text"'): Odd(*CRASH, "ends the run as framework_error"),
    ("langgraph", "7"): Odd(*CRASH, "ends the run as framework_error"),
    ("crewai", "{bad"): Odd((), Status.COMPLETED, "not JSON, empty text included, is not handed"),
    ("crewai", '{"amount": 1'): Odd((), Status.COMPLETED, "is not handed over"),
    ("crewai", ""): Odd((), Status.COMPLETED, "empty text included, is not handed over"),
    ("crewai", "null"): Odd(*RUN_EMPTY, "is run as {}"),
    ("crewai", "[1, 2]"): Odd(*CRASH, "ends the run as framework_error"),
    ("crewai", "[]"): Odd(*RUN_EMPTY, "is run as {}"),
    ("crewai", '"text"'): Odd((), Status.COMPLETED, "a JSON string is not handed over"),
    ("crewai", "7"): Odd(*CRASH, "ends the run as framework_error"),
}

HOSTILE_ARGUMENTS = (
    '{"a":' * 50_000 + "1" + "}" * 50_000,
    '{"a":' * 600 + "1" + "}" * 600,
    '{"a": NaN, "b": 1e999}',
    '{"a": "\\ud800"}',
    '{"n": ' + "9" * 5000 + "}",
    "\x00",
)

FAULTS = {
    "400 no tools": Reply(status=400, body=b'{"error": {"message": "does not support tools"}}'),
    "400 too long": Reply(status=400, body=b'{"error": {"message": "maximum context length"}}'),
    "401": Reply(status=401, body=b'{"error": {"message": "no"}}'),
    "404": Reply(status=404, body=b'{"error": {"message": "only supported in v1/responses"}}'),
    "429": Reply(
        status=429,
        body=b'{"error": {"message": "rate limit", "code": "rate_limit_exceeded"}}',
        headers=(("retry-after", "0"), ("x-should-retry", "true")),
    ),
    "500": Reply(status=500, body=b"{tools} oops", headers=(("x-should-retry", "true"),)),
    "503": Reply(status=503, body=b""),
    "redirect": Reply(status=307, headers=(("location", "/t/token/v1/chat/completions"),)),
    "dropped": Reply(drop=True),
    "not JSON": Reply(body=b"<html>"),
    "error with 200": Reply(body=b'{"error": {"message": "boom", "code": 500}}'),
    "no choice": Reply(body=b'{"id": "x", "object": "chat.completion", "choices": []}'),
}
