"""What a trial asks of a model, measured before any model is asked: requests, and bytes of them.

A scenario is played once on the `scripted` adapter, and the conversation that a framework in the
exact profile would hold is put together from the journal: each request shows the system prompt, the
tools and all that was said before. What the scripted agent says is short: a real model's words and
its reasoning come on top.

Bytes become tokens by shares that were measured on the prompts, tools, arguments and results of the
shipped scenarios, with four public tokenizers (cl100k_base, o200k_base, DeepSeek's and an older one
of Claude's). Bytes of UTF-8 to a token: prompts in English and declarations of tools 4.1 to 4.7,
arguments and results of tools 2.9 to 3.2, Japanese characters alone 2.8 to 4.4.
"""

import asyncio
from dataclasses import dataclass

from grid.adapters import SCRIPTED, build_adapter
from grid.canonical import text_json
from grid.cast import PREFIX
from grid.cli.casework import SEED
from grid.evidence import CallRecord, Journal, TrialId
from grid.plan import trial_seed
from grid.report import REPORT
from grid.scenario import Tamper
from grid.session import TrialSpec, run_trial
from grid.strict import to_json
from grid.tool import Tool
from grid.vocabulary import TamperKind

PROSE_BYTES = 4
"""Bytes to a token of prompts and declarations."""
DATA_BYTES = 3
"""The same for arguments and results: JSON with names, numbers and receipts."""
CJK_BYTES = 3
"""The same for Chinese, Japanese and Korean characters, wherever they stand; each takes three."""

_COUNTED = Tamper(kind=TamperKind.DROP, answer=0, tool="(no tool has this name)")
"""Changes nothing; with it the reference adapter counts its answers as on a wire."""

_CJK = ((0x1100, 0x11FF), (0x2E80, 0xD7FF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF), (0x20000, 0x3FFFF))


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """What one trial takes."""

    calls: float
    """Requests to the model."""
    input_tokens: float
    """Tokens that it reads, over all requests."""
    output_tokens: float
    """Tokens that it writes."""


def tokens(text: str, dense: int = PROSE_BYTES) -> float:
    """Return how many tokens a text is taken for.

    Args:
        text: any text.
        dense: bytes to a token of all that is not Chinese, Japanese or Korean.
    """
    wide = "".join(
        character
        for character in text
        if character > "\u1000" and any(low <= ord(character) <= high for low, high in _CJK)
    )
    wide_bytes = len(wide.encode("utf-8", "replace"))
    other_bytes = len(text.encode("utf-8", "replace")) - wide_bytes
    return other_bytes / dense + wide_bytes / CJK_BYTES


def footprint(journal: Journal, tools: tuple[Tool, ...], system: str | None) -> Footprint:
    """Return what the conversation of a journal takes.

    Args:
        journal: of a trial whose answers were counted.
        tools: what the scenario offers, without `report`.
        system: the system prompt; None for none.
    """
    offered = sum(tokens(text_json(to_json(tool.spec()))) for tool in (*tools, REPORT))
    begin = offered + tokens(system or "")
    read = written = 0.0
    starts = journal.sessions
    for place, start in enumerate(starts):
        following = starts[place + 1] if place + 1 < len(starts) else None
        answers = (following.answers if following else journal.answers) - start.answers
        shown = begin + tokens(start.user_text)
        if start.rewound is not None:  # it goes on from an earlier point of the conversation
            kept = [call for call in journal.calls if call.seq <= start.rewound]
            shown += sum(map(_said, kept)) + sum(map(_told, kept)) + tokens(starts[0].user_text)
        for answer in range(1, answers + 1):
            made = [call for call in journal.calls if call.turn == start.turn + answer]
            words = sum(map(_said, made)) if made else tokens(journal.final_text)
            read += shown
            written += words
            shown += words + sum(map(_told, made))
    return Footprint(calls=float(journal.answers), input_tokens=read, output_tokens=written)


def _said(call: CallRecord) -> float:
    arguments = call.raw_arguments
    if arguments is None:
        arguments = "" if call.parsed is None else text_json(call.parsed)
    return tokens(call.tool) + tokens(arguments, DATA_BYTES)


def _told(call: CallRecord) -> float:
    return tokens(call.delivered, DATA_BYTES)


def played(identity: str, language: str, persona: str, tamper: tuple[Tamper, ...] = ()) -> Journal:
    """Play one scenario on the reference adapter, without clause and guards; counted."""
    trial = TrialId(
        scenario=identity,
        framework=SCRIPTED,
        model=PREFIX + persona,
        clause="none",
        guards="off",
        language=language,
        number=0,
    )
    spec = TrialSpec(
        trial=trial,
        seed=trial_seed(SEED, trial),
        names=0,
        base_url="",
        api_key="",
        wire_model=persona,
        timeout_s=60.0,
        trial_timeout_s=60.0,
        tamper=(*tamper, _COUNTED),
    )
    return asyncio.run(run_trial(spec, build_adapter(SCRIPTED)))[0]
