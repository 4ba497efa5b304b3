"""A local model as the runner sees it: started, watched and ended with the run."""

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

from grid.canonical import file_sha256
from grid.errors import ConfigError
from proxy.child import Child
from proxy.engine import BATCH, CACHE_MIB, check_file

CHUNK = 1 << 20
CONTEXT = 8192
"""Tokens that a conversation may have."""
READY_S = 600.0
"""Seconds that loading may take: gigabytes from a slow disk."""
ENGINE = "xllamacpp"


def templates() -> tuple[str, ...]:
    """Return the names of the chat templates that ship."""
    found = (entry.name for entry in files("proxy").joinpath("templates").iterdir())
    return tuple(sorted(name.removesuffix(".jinja") for name in found if name.endswith(".jinja")))


def template_text(name: str) -> str:
    """Return a chat template that ships.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in templates():
        known = ", ".join((*templates(), "own"))
        raise ConfigError(f"--template: there is no chat template {name!r}; write one of {known}")
    return files("proxy").joinpath("templates", f"{name}.jinja").read_text(encoding="utf-8")


def template_sha256(name: str) -> str:
    """Return the plain sha256 of a chat template that ships."""
    return file_sha256([template_text(name).encode()])


class LocalServer(Child):
    """A local model behind an OpenAI-compatible server of its own process."""

    ready_s = READY_S

    def __init__(
        self,
        path: Path,
        *,
        alias: str,
        template: str = "",
        threads: int = 1,
        context: int = CONTEXT,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load a model and wait until it answers.

        Args:
            path: model file, GGUF.
            alias: model id that its answers carry.
            template: name of a chat template that ships; empty for the one in the file.
            threads: threads to compute with; with more than there are idle cores it crawls.
            context: tokens that a conversation may have.
            tell: takes a sentence before the wait.

        Raises:
            ConfigError: the file is no model, or there is no such template.
            HarnessError: it did not get ready; with its last words.
        """
        check_file(path)
        self._settings = {
            "threads": threads,
            "context": context,
            "slots": 1,
            "batch": BATCH,
            "computed at once": 1,
            "prompt cache": f"{CACHE_MIB} MiB",
        }
        text = template_text(template) if template else ""
        tell(f"loading {path.name} ({path.stat().st_size / 1e6:.0f} MB) ...")
        self._sum = _sum(path)
        super().__init__(
            "proxy.engine",
            {
                "path": str(path.resolve()),
                "alias": alias,
                "template": text,
                "threads": threads,
                "context": context,
            },
            f"the local model {alias}",
        )
        self._template = template or "the one in the weights"
        self._template_sum = template_sha256(template) if template else ""

    @property
    def address(self) -> str:
        """Address for the proxy's list of upstreams."""
        return f"127.0.0.1:{self.port}"

    @property
    def facts(self) -> dict[str, Any]:
        """What is noted of it beside a run's head: engine, its version, sums and settings."""
        return {
            "engine": ENGINE,
            "version": _version(),
            "build": self.ready.get("engine", ""),
            "weights sha256": self._sum,
            "template": self._template,
            "template sha256": self._template_sum,
            "settings": self._settings,
        }


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return file_sha256(iter(lambda: file.read(CHUNK), b""))


def _version() -> str:
    try:
        return version(ENGINE)
    except PackageNotFoundError:
        return "not installed"
