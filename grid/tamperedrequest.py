"""Chat-completion requests whose tool results can be changed on their way to the model.

A result that is a JSON object stays one: the text becomes its last member, and nothing else in it
is written anew. Any other result gets the text on a line of its own. Where a clause put something
around the results (`grid.resultframe`), the text goes into the result inside of that: it is the
tool's answer that is changed. What cannot be changed in one way only stays as it came: a request
that is not strict JSON, a result in several parts, an object that has such a member already.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError
from grid.resultframe import unframed
from grid.scenario import Tamper

MEMBER = "note"
"""Name of the member that a text becomes, if no other one is asked for."""


def with_text(result: str, text: str, member: str = "") -> str:
    """Return a tool result with a text put into it.

    Args:
        result: the result, as the tool layer gave it.
        text: what is put in.
        member: name of the member that it becomes in a JSON object; empty: `MEMBER`.
    """
    frame = unframed(result)
    return f"{frame.before}{_with_text(frame.answer, text, member)}{frame.after}"


def _with_text(result: str, text: str, member: str) -> str:
    try:
        value = load_json(result)
    except CanonicalError:
        value = None
    if not isinstance(value, dict):
        return f"{result}\n{text}"
    name = member or MEMBER
    if name in value:
        return result
    inside = result.rstrip()[:-1].rstrip()
    added = f"{_text(name)}:{_text(text)}"
    return f"{inside}{',' if value else ''}{added}}}"


def with_result(result: str, tool: str, faults: Iterable[Tamper]) -> str:
    """Return a tool result with the texts put into it that are about this tool or about every one.

    Args:
        result: the result, as the tool layer gave it.
        tool: name of its tool; empty if that is not known.
        faults: the faults of kind ``inject``, in order.
    """
    for fault in faults:
        if fault.tool in ("", tool):
            result = with_text(result, str(fault.value), fault.argument)
    return result


def with_results(body: bytes, faults: Sequence[Tamper]) -> bytes:
    """Return the body of a request with texts put into each tool result that faults are about.

    Args:
        body: the body, without content encoding.
        faults: the faults of kind ``inject``, in order.
    """
    if not faults:
        return body
    try:
        value = load_json(body)
    except CanonicalError:
        return body
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return body
    names = _names(messages)
    changed = False
    for message in messages:
        if _is_result(message):
            name = names.get(message.get("tool_call_id", ""), "")
            changed = _put_in(message, name, faults) or changed
    return plain_json(value, indent=None).encode() if changed else body


def _text(value: str) -> str:
    return plain_json(value, indent=None)


def _is_result(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("role") != "tool":
        return False
    return isinstance(message.get("tool_call_id", ""), str)


def _put_in(message: dict[str, Any], tool: str, faults: Sequence[Tamper]) -> bool:
    """Put the texts into a tool message; tell whether that changes anything."""
    holder, key = message, "content"
    if isinstance(message.get("content"), list) and len(message["content"]) == 1:
        (part,) = message["content"]
        if isinstance(part, dict) and part.get("type") == "text":
            holder, key = part, "text"
    result = holder.get(key)
    if not isinstance(result, str):
        return False
    changed = with_result(result, tool, faults)
    holder[key] = changed
    return changed != result


def _names(messages: list[Any]) -> dict[str, str]:
    """Return id of a call -> name of its tool; an id that two tools share names none."""
    found: dict[str, str] = {}
    for message in messages:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            function = call.get("function") if isinstance(call, dict) else None
            name = function.get("name") if isinstance(function, dict) else None
            identity = call.get("id") if isinstance(call, dict) else None
            if isinstance(name, str) and isinstance(identity, str):
                found[identity] = name if found.get(identity, name) == name else ""
    return found
