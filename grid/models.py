"""Model ids: who serves a model, under what name, and with which parameters it is asked.

``provider/name[,parameter=value...]``, such as ``local/qwen2.5-coder-0.5b,temperature=0.7``. The
parameters are part of the id, as the odds of a persona are: two settings of one model are two arms
of the grid, and stand as such in every ledger. Where a server is and what key it wants is no part
of it: these come from the command line and from the environment variables of each provider.

A seed is sent to the servers that take one, derived from the trial's own, so that a draw can be
drawn again; ``seed=off`` sends none, ``seed=7`` sends the same in every trial.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grid.cast import PREFIX, persona_of
from grid.display import visible
from grid.errors import ConfigError

LOCAL = "local"
"""Provider of the models that run on this machine, started by us."""
OFF = "off"
LONGEST = 200
"""Characters of a model id."""
SEED_RANGE = 2**31
"""Seeds on the wire are below this: some servers read 32 bits, signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Who serves models over the protocol of OpenAI's chat completions."""

    id: str
    """First part of a model id."""
    summary: str
    """What it is, in a phrase."""
    base_url: str
    """Where it is unless something else says so; empty: something must."""
    url_variable: str
    """Environment variable that says where it is; empty for none."""
    key_variable: str
    """Environment variable that holds the key; empty for none."""
    needs_key: bool = False
    """It refuses requests without a key."""
    seeded: bool = False
    """It takes a seed, so one is sent unless the id says otherwise."""
    limit_name: str = "max_tokens"
    """Its name for the most tokens of an answer."""


PROVIDERS: Mapping[str, Provider] = {
    provider.id: provider
    for provider in (
        Provider(
            id=LOCAL,
            summary="a small model on this machine, started by nonverba (extra 'local')",
            base_url="",
            url_variable="",
            key_variable="",
            seeded=True,
        ),
        Provider(
            id="openai",
            summary="OpenAI, or any server that speaks its protocol (--base-url)",
            base_url="https://api.openai.com/v1",
            url_variable="OPENAI_BASE_URL",
            key_variable="OPENAI_API_KEY",
            needs_key=True,
            limit_name="max_completion_tokens",
        ),
        Provider(
            id="ollama",
            summary="an Ollama server",
            base_url="http://127.0.0.1:11434/v1",
            url_variable="OLLAMA_HOST",
            key_variable="OLLAMA_API_KEY",
            seeded=True,
        ),
        Provider(
            id="vllm",
            summary="a vLLM server",
            base_url="http://127.0.0.1:8000/v1",
            url_variable="VLLM_BASE_URL",
            key_variable="VLLM_API_KEY",
            seeded=True,
        ),
        Provider(
            id="llamacpp",
            summary="a llama.cpp server (llama-server)",
            base_url="http://127.0.0.1:8080/v1",
            url_variable="LLAMACPP_BASE_URL",
            key_variable="LLAMA_API_KEY",
            seeded=True,
        ),
    )
}
"""Provider id -> provider, personas aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelId:
    """A model id, taken apart."""

    provider: Provider
    """Who serves it."""
    name: str
    """Name on the wire."""
    parameters: Mapping[str, float | int | str]
    """What it is asked with, as the id says."""

    @property
    def sampled(self) -> bool:
        """Tell whether its repeats are samples.

        A local model at temperature 0, or with one seed for all trials, answers alike every time.
        Other people's servers promise nothing of the kind.
        """
        if self.provider.id != LOCAL:
            return True
        fixed = isinstance(self.parameters.get("seed"), int)
        return not fixed and self.parameters.get("temperature") != 0

    def sampling(self, seed: str) -> dict[str, Any]:
        """Return what goes into each request of a trial beside messages and tools.

        Args:
            seed: hex seed of the trial.
        """
        asked: dict[str, Any] = dict(self.parameters)
        drawn = asked.pop("seed", None if self.provider.seeded else OFF)
        if "max_tokens" in asked:
            asked[self.provider.limit_name] = asked.pop("max_tokens")
        if drawn != OFF:
            asked["seed"] = int(seed[:16], 16) % SEED_RANGE if drawn is None else drawn
        return asked


def is_scripted(model: str) -> bool:
    """Tell whether a model id names a persona."""
    return model.startswith(PREFIX)


def read_model(text: str) -> ModelId:
    """Take the id of a real model apart.

    Raises:
        ConfigError: no such provider, no name, or a parameter that nobody takes.
    """
    head, *parameters = text.split(",")
    provider, slash, name = head.partition("/")
    if provider not in PROVIDERS:
        known = [PREFIX.rstrip("/"), *PROVIDERS]
        near = difflib.get_close_matches(provider, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}/...?" if near else ""
        raise ConfigError(
            f"{visible(text)!r} cannot be reached: {visible(provider)!r} is no provider.{hint} "
            f"Write one of {'/..., '.join(known)}/...; a server that speaks OpenAI's protocol is "
            "openai/<name> with --base-url",
            "models",
        )
    if not slash or not name or not text.isprintable() or len(text) > LONGEST:
        raise ConfigError(
            f"{visible(text)!r} names no model: write {provider}/<name>, at most {LONGEST} "
            "printable characters",
            "models",
        )
    if re.search(r"\s|/$", name):
        raise ConfigError(
            f"{visible(text)!r}: the name holds a space or ends with '/'; write it as the server "
            "lists it",
            "models",
        )
    found: dict[str, float | int | str] = {}
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key in found:
            raise ConfigError(f"{visible(text)!r}: {key} stands twice; leave one out", "models")
        found[key] = _value(text, key, value)
    return ModelId(provider=PROVIDERS[provider], name=name, parameters=found)


def check_model(text: str) -> None:
    """Refuse a model id that nothing could be asked by.

    Raises:
        ConfigError: what is wrong with it.
    """
    if is_scripted(text):
        persona_of(text.removeprefix(PREFIX))
    else:
        read_model(text)


def is_sampled(model: str) -> bool:
    """Tell whether repeats of a cell are samples: a real model that draws, a persona that does.

    A persona that is not known here counts as fixed: nothing is claimed of it. Of a provider that
    is not known nobody can say that it answers alike.
    """
    try:
        if not is_scripted(model):
            return read_model(model).sampled
        return not persona_of(model.removeprefix(PREFIX))[0].deterministic
    except ConfigError:
        return not is_scripted(model)


def wire_name(model: str) -> str:
    """Return the name that a model is asked for by."""
    return model.removeprefix(PREFIX) if is_scripted(model) else read_model(model).name


def sampling_of(model: str, seed: str) -> dict[str, Any]:
    """Return what goes into each request of a trial beside messages and tools."""
    return {} if is_scripted(model) else read_model(model).sampling(seed)


_RANGES: Mapping[str, tuple[float, float]] = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "max_tokens": (1, 1_000_000),
    "seed": (0, SEED_RANGE - 1),
}
"""Parameter -> the least and the greatest value."""
_WHOLE = ("max_tokens", "seed")


def _value(text: str, key: str, value: str) -> float | int | str:
    if key not in _RANGES:
        known = ", ".join(f"{name}=..." for name in _RANGES)
        raise ConfigError(
            f"{visible(text)!r}: there is no parameter {visible(key)!r}; write {known}", "models"
        )
    if key == "seed" and value == OFF:
        return OFF
    least, most = _RANGES[key]
    form = r"[0-9]{1,10}" if key in _WHOLE else r"[0-9]{1,3}(\.[0-9]{1,4})?"
    number = float(value) if re.fullmatch(form, value, re.ASCII) else -1.0
    if not least <= number <= most:
        kind = "a whole number" if key in _WHOLE else "a number"
        also = f", or {OFF}" if key == "seed" else ""
        raise ConfigError(
            f"{visible(text)!r}: {key}={visible(value)!r} does not fit; write {kind} from "
            f"{_shown(key, least)} to {_shown(key, most)}{also}",
            "models",
        )
    return int(number) if key in _WHOLE else number


def _shown(key: str, number: float) -> str:
    return str(int(number)) if key in _WHOLE else f"{number:g}"
