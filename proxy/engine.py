"""The process that runs a local model: llama.cpp's own server, by way of xllamacpp.

One slot and one token at a time: an answer is then a function of the request alone. With the usual
batches, what stands in the cache decides how the rest of a prompt is cut into batches, other
batches round otherwise, and the same request gets another answer on another day. Token by token the
rounding is the same whatever was cached, so the cache can stay on; it saves more than this costs.

A chat template marks roles by special tokens, and llama.cpp reads these in the text of messages,
too: a tool result that holds ``<|im_end|>`` ends its message, as it does in most servers. That is a
property of the model's serving that attacks may use, and nothing here hides it.

A call that the template asks for is held to its schema from the name of the tool on. Before it a
model may write what it likes, also where a call is required; and a text that is neither an answer
nor a call is answered with status 500, which seeds and temperature decide like any other answer.
"""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.canonical import load_json
from grid.errors import ConfigError, NonverbaError
from grid.strict import from_json
from proxy.lifeline import die_with_parent, exit_with_sentence, obey, say

CACHE_MIB = 2048
"""Memory for prompts that were read before."""
BATCH = 512
"""Tokens that are handed over at once; they are computed one by one all the same."""
MAGIC = b"GGUF"
NEEDS = (
    "local models need the extra 'local': pip install 'nonverba[local]' (in a checkout: make setup)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """What the process is told."""

    path: str
    """Model file, GGUF."""
    alias: str
    """Model id that its answers carry."""
    template: str
    """Text of the chat template; empty for the one in the file."""
    threads: int
    """Threads to compute with."""
    context: int
    """Tokens that a conversation may have."""


def load_engine() -> Any:
    """Return xllamacpp.

    Raises:
        ConfigError: it is not there, or the system lacks a library that it needs.
    """
    try:
        import xllamacpp
    except ModuleNotFoundError as error:
        raise ConfigError(f"{NEEDS} ({error})") from error
    except ImportError as error:
        library = "libgomp" in str(error)
        hint = "; install the system library libgomp1 (apt install libgomp1)" if library else ""
        raise ConfigError(f"the engine of local models cannot be loaded: {error}{hint}") from error
    return xllamacpp


def settings(config: EngineConfig, params: Any) -> Any:
    """Fill in the engine's parameters."""
    params.model.path = config.path
    params.model_alias = {config.alias}
    params.n_ctx = config.context
    params.n_parallel = 1
    params.n_batch = BATCH
    params.n_ubatch = 1
    params.cache_prompt = True
    params.cache_ram_mib = CACHE_MIB
    params.cpuparams.n_threads = config.threads
    params.cpuparams_batch.n_threads = config.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.offline = True
    params.use_jinja = True
    if config.template:
        params.chat_template = config.template
    return params


def check_file(path: Path) -> None:
    """Refuse what is no model file, before the engine gives up on it in its own words.

    Raises:
        ConfigError: it cannot be read, or begins otherwise.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(len(MAGIC))
    except OSError as error:
        raise ConfigError(f"cannot read the model file {path}: {error.strerror}") from error
    if begins != MAGIC:
        raise ConfigError(f"{path} is no model file: it does not begin with GGUF")


def start(config: EngineConfig) -> tuple[Any, int]:
    """Load the model; return the running server and its port.

    Raises:
        ConfigError: the file is no model, or the engine cannot load it.
    """
    check_file(Path(config.path))
    engine = load_engine()
    try:
        server = engine.Server(settings(config, engine.CommonParams()))
    except Exception as error:
        raise ConfigError(
            f"the engine cannot load {config.path} ({error}): is the file whole, and is there "
            "memory for it?"
        ) from error
    return server, int(str(server.listening_address).rpartition(":")[2].rstrip("/"))


def main() -> None:
    """Read the configuration, load the model, and serve until the parent ends the process."""
    die_with_parent()
    os.environ["GGML_NO_BACKTRACE"] = "1"  # a crash must end the process, not start a debugger
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the engine prints what it likes; the pipe to the parent is ours
    sys.stdout = pipe
    try:
        if len(sys.argv) != 2:
            raise ConfigError("write: python -m proxy.engine CONFIG.json")
        config = from_json(EngineConfig, load_json(Path(sys.argv[1]).read_bytes()))
        server, port = start(config)
        say({"ready": True, "port": port, "engine": str(load_engine().BUILD_INFO)})
        asyncio.run(obey(_answer))
        del server
    except (NonverbaError, OSError) as error:
        _silence_engine()
        exit_with_sentence(error)


def _silence_engine() -> None:
    """Let nothing come after our sentence: the engine's log is written by a thread of its own."""
    sys.stderr = os.fdopen(os.dup(2), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


async def _answer(word: str, fields: dict[str, Any]) -> dict[str, object]:
    raise ConfigError(f"no command {word!r} with the fields {sorted(fields)}")


if __name__ == "__main__":
    main()
