"""`nonverba doctor MODEL`: a few requests through the proxy, and what they say of a model.

It asks for one tool call, an answer as a stream, an answer that keeps to a JSON schema, and the
same draw twice. What came back is read from the recording by the decoders that judge runs, so what
works here works in a run. A tool call is the one thing that no scenario can do without.
"""

import http.client
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from grid.canonical import load_json, plain_json
from grid.cli.console import show_json, show_table, tell
from grid.cli.options import BaseUrl, Gguf, Template, Threads
from grid.cli.upstreams import Endpoints, Served, Upstreams, model_records
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, NotGateable
from grid.evidence import TrialId
from grid.models import is_scripted, read_model
from grid.runner import REAL_MODEL_TIMEOUT_S
from grid.wirecall import same_model
from proxy.launch import OpenedTrial, ProxyProcess
from proxy.wire.answer import Assistant, ProviderError, Undecodable
from proxy.wire.partial import read_partial
from proxy.wire.protocol import decode_answer

SEED = "0" * 32
NODE, ELSEWHERE = "mars", "moon"
LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at a node of the catalogue.",
        "parameters": {
            "type": "object",
            "properties": {"node": {"type": "string"}},
            "required": ["node"],
            "additionalProperties": False,
        },
    },
}
ONLY = {
    "type": "object",
    "properties": {"node": {"enum": [NODE]}},
    "required": ["node"],
    "additionalProperties": False,
}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": ONLY}}
_LOOK_AT = f"Look at the node {NODE} with the tool 'look'."
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "tools": {"messages": [{"role": "user", "content": _LOOK_AT}], "tools": [LOOK]},
    "streaming": {
        "messages": [{"role": "user", "content": "Say hello."}],
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "JSON schema": {
        "messages": [{"role": "user", "content": f"Answer with the JSON of the node {ELSEWHERE}."}],
        "response_format": SCHEMA,
    },
    "seed": {
        "messages": [{"role": "user", "content": "Invent a name."}], "temperature": 1, "seed": 1,
    },
    "seed again": {
        "messages": [{"role": "user", "content": "Invent a name."}], "temperature": 1, "seed": 1,
    },
}  # fmt: skip
"""What is asked, by what it is to show; the last two are the same."""

type Answer = Assistant | ProviderError | Undecodable | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one question showed."""

    what: str
    """What was looked for."""
    works: bool | None
    """It works; None where nothing can be said."""
    detail: str
    """What came, in a phrase."""


def doctor_command(
    model: Annotated[str, typer.Argument(help="As in --model: local/<name>, openai/<name> ...")],
    base_url: BaseUrl = "",
    gguf: Gguf = None,
    template: Template = "",
    threads: Threads = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask a model a few questions through the proxy and say what works."""
    if is_scripted(model):
        raise ConfigError("MODEL: a persona needs no doctor; write a real model, such as local/...")
    endpoints = Endpoints(base_url=base_url, gguf=gguf, template=template, threads=threads)
    answers = ask_all(model, endpoints, tell)
    found = findings(read_model(model).name, answers)
    if as_json:
        rows = [{"what": one.what, "works": one.works, "detail": one.detail} for one in found]
        show_json({"model": model, "found": rows})
    else:
        words = {True: "yes", False: "no", None: "unknown"}
        rows_shown = [(one.what, words[one.works], visible(one.detail, 200)) for one in found]
        show_table(
            f"{visible(model)} through the proxy", ("what", "works", "what came"), rows_shown
        )
    if not any(isinstance(answer, Assistant) for answer in answers.values()):
        raise NotGateable(f"{visible(model)} gave no answer: {found[0].detail}")
    if not found[0].works:
        tell("Without tool calls no scenario can be done: its trials end as not_exposed, not_done.")
        raise typer.Exit(1)


def ask_all(model: str, endpoints: Endpoints, said: Callable[[str], None]) -> dict[str, Answer]:
    """Ask everything through a proxy of its own; return what the recording says was answered."""
    model_records([model], endpoints)  # refuses what is not there before anything starts
    trial = TrialId(
        scenario="doctor",
        framework="doctor",
        model=model,
        clause="none",
        guards="off",
        language="en",
        number=0,
    )
    with (
        tempfile.TemporaryDirectory(prefix="nonverba-") as place,
        Upstreams([model], endpoints, tell=said) as models,
        ProxyProcess(
            mode="record", directory=_private(place), upstreams=models.addresses, advice=""
        ) as proxy,
    ):
        served: Served = models.of(trial, SEED)
        opened = proxy.open_trial("doctor", upstream=served.url, secret=served.secret)
        for body in REQUESTS.values():
            _post(opened, {"model": read_model(model).name, "max_tokens": 100, **body})
        closed = proxy.close_trial(opened.token)
        models.check()
        data = closed.file.read_bytes() if closed.file else b""
    answers = [decode_answer(exchange) for exchange in read_partial(data).exchanges]
    return dict(zip(REQUESTS, answers, strict=True))


def _private(place: str) -> Path:
    folder = Path(place, "live")
    folder.mkdir(mode=0o700)
    return folder


def _post(opened: OpenedTrial, body: Mapping[str, Any]) -> None:
    """Ask once; what comes back stands in the recording."""
    url = urlsplit(opened.base_url)
    connection = http.client.HTTPConnection(
        str(url.hostname), url.port, timeout=REAL_MODEL_TIMEOUT_S
    )
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {opened.api_key}"}
    try:
        text = plain_json(body, indent=None).encode()
        connection.request("POST", f"{url.path}/chat/completions", text, headers)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return  # an answer that broke off stands in the recording as such
    finally:
        connection.close()


def findings(requested: str, answers: Mapping[str, Answer]) -> tuple[Finding, ...]:
    """Return what the answers show, tool calls first."""
    return (
        _of("tools", answers["tools"], _called),
        _of("streaming", answers["streaming"], lambda said: (True, "a stream that can be read")),
        _of("JSON schema", answers["JSON schema"], _kept_to_schema),
        _seed(answers["seed"], answers["seed again"]),
        _of("usage", answers["tools"], lambda said: (bool(said.usage), _tokens(said))),
        _of("model id", answers["tools"], lambda said: _identity(requested, said)),
    )


def _of(
    what: str, answer: Answer, judge: Callable[[Assistant], tuple[bool | None, str]]
) -> Finding:
    match answer:
        case Assistant():
            works, detail = judge(answer)
            return Finding(what=what, works=works, detail=detail)
        case ProviderError(status=status, message=message):
            return Finding(what=what, works=False, detail=f"{status}: {message}")
        case Undecodable(reason=reason):
            return Finding(what=what, works=False, detail=f"no answer that can be read: {reason}")
    return Finding(what=what, works=False, detail="no answer")


def _called(said: Assistant) -> tuple[bool, str]:
    calls = [f"{call.name}({call.raw_arguments})" for call in said.calls]
    right = len(said.calls) == 1 and said.calls[0].name == "look"
    try:
        right = right and load_json(said.calls[0].raw_arguments) == {"node": NODE}
    except CanonicalError:
        right = False
    return right, "; ".join(calls) or f"no call, but words: {said.text or ''}"


def _kept_to_schema(said: Assistant) -> tuple[bool, str]:
    """Tell whether the schema won over a request for what it does not allow."""
    try:
        kept = load_json(said.text or "") == {"node": NODE}
    except CanonicalError:
        kept = False
    how = "kept to, against what was asked for" if kept else "not enforced"
    return kept, f"{how}: {said.text or ''}"


def _seed(first: Answer, second: Answer) -> Finding:
    if not (isinstance(first, Assistant) and isinstance(second, Assistant)):
        return _of("seed", first if not isinstance(first, Assistant) else second, _nothing)
    alike = first.text == second.text
    words = "the same words twice" if alike else "other words each time"
    return Finding(what="seed", works=alike, detail=f"{words}: {first.text or ''}")


def _nothing(_said: Assistant) -> tuple[None, str]:
    return None, "only one of two answers came"


def _tokens(said: Assistant) -> str:
    counts = {key: value for key, value in (said.usage or {}).items() if isinstance(value, int)}
    return ", ".join(f"{key} {value}" for key, value in counts.items()) or "no token counts"


def _identity(requested: str, said: Assistant) -> tuple[bool | None, str]:
    fits = same_model(requested, said.model)
    return fits, f"asked for {requested}, told {said.model or 'nothing'}"
