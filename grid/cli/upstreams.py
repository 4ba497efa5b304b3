"""Where the models of a run are: the scripted ones, servers of other people, models started by us.

Keys come from the environment variable of each provider and go to the proxy alone, which puts them
where an agent's virtual key stood; no worker sees one. Nothing here is part of a run's identity
but the weights of local models, whose sums stand in the manifest.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.canonical import file_sha256
from grid.display import visible
from grid.errors import ConfigError
from grid.evidence import TrialId
from grid.models import LOCAL, ModelId, Provider, is_scripted, read_model
from ledgers.manifest import ModelRecord
from proxy.address import join_address, parse_upstream
from proxy.launch import ScriptedModels
from proxy.localserver import LocalServer, template_sha256
from proxy.weights import LOCAL_MODELS, LocalWeights, ensure_weights

CHUNK = 1 << 20
DEFAULT_TEMPLATE = "fenced"
"""Chat template of a model file of the user's own; see `proxy.localserver`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """What a user says about where models are."""

    base_url: str = ""
    """Base URL of the server that speaks OpenAI's protocol; empty: each provider's own."""
    gguf: Path | None = None
    """Model file behind ``local/<any name>``; None: weights by name."""
    template: str = ""
    """Chat template for it: a name that ships, or ``own`` for the one in the file."""
    threads: int = 1
    """Threads of a local model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """How one model is reached."""

    url: str
    """Base URL."""
    secret: str = ""
    """The provider's real key; empty for none."""


def model_records(models: Iterable[str], endpoints: Endpoints) -> tuple[ModelRecord, ...]:
    """Return what a manifest says of the real models of a plan, by id.

    Raises:
        ConfigError: a local model that nobody knows, or a file that cannot be read.
    """
    real = sorted({model for model in models if not is_scripted(model)})
    return tuple(_record(model, read_model(model), endpoints) for model in real)


def _record(identity: str, model: ModelId, endpoints: Endpoints) -> ModelRecord:
    weights, template = "", ""
    if model.provider.id == LOCAL:
        weights, template = _sums(model, endpoints)
    return ModelRecord(
        id=identity,
        requested=model.name,
        parameters=dict(model.parameters),
        weights=weights,
        template=template,
    )


def _sums(model: ModelId, endpoints: Endpoints) -> tuple[str, str]:
    name = _template(model, endpoints)
    template = template_sha256(name) if name else ""
    if endpoints.gguf is None:
        return _known(model).sha256, template
    try:
        with endpoints.gguf.open("rb") as file:
            return file_sha256(iter(lambda: file.read(CHUNK), b"")), template
    except OSError as error:
        raise ConfigError(f"--gguf: cannot read {endpoints.gguf}: {error.strerror}") from error


def _known(model: ModelId) -> LocalWeights:
    if model.name not in LOCAL_MODELS:
        known = ", ".join(f"{LOCAL}/{name}" for name in LOCAL_MODELS)
        raise ConfigError(
            f"there are no weights for {visible(model.name)!r}: write one of {known}, or give a "
            "model file of your own with --gguf PATH",
            "models",
        )
    return LOCAL_MODELS[model.name]


def _template(model: ModelId, endpoints: Endpoints) -> str:
    """Return the name of the chat template that we give a local model; empty: its own."""
    if endpoints.gguf is None:
        return _known(model).template
    return {"": DEFAULT_TEMPLATE, "own": ""}.get(endpoints.template, endpoints.template)


class Upstreams:
    """The servers behind the proxy of one run; entered, they are there."""

    def __init__(
        self,
        models: Iterable[str],
        endpoints: Endpoints,
        *,
        names: int = 0,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take down which models are wanted; `tell` gets sentences while they are started."""
        wanted = tuple(dict.fromkeys(models))
        self._real = {model: read_model(model) for model in wanted if not is_scripted(model)}
        self._personas = len(self._real) < len(wanted)
        self._endpoints = endpoints
        self._names = names
        self._tell = tell
        self._stack = ExitStack()
        self._scripted: ScriptedModels | None = None
        self._local: dict[str, LocalServer] = {}
        self._served: dict[str, Served] = {}

    def __enter__(self) -> "Upstreams":
        """Start what has to be started.

        Raises:
            ConfigError: a key or an address is missing, or weights cannot be had.
            HarnessError: a server did not get ready.
        """
        try:
            for model, read in self._real.items():
                if read.provider.id == LOCAL:
                    self._start(read)
                else:
                    self._served[model] = reached(read.provider, self._endpoints, os.environ)
            if self._personas:
                self._scripted = self._stack.enter_context(ScriptedModels())
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it again."""
        self._stack.close()

    def _start(self, model: ModelId) -> None:
        if model.name in self._local:
            return
        own = self._endpoints.gguf
        path = ensure_weights(model.name, self._tell) if own is None else own
        server = LocalServer(
            path,
            alias=model.name,
            template=_template(model, self._endpoints),
            threads=self._endpoints.threads,
            tell=self._tell,
        )
        self._local[model.name] = self._stack.enter_context(server)

    @property
    def addresses(self) -> tuple[str, ...]:
        """``host:port`` of all of them, for the proxy's list."""
        urls = [served.url for served in self._served.values()]
        found = [join_address(*parse_upstream(url).address) for url in urls]
        found += [server.address for server in self._local.values()]
        found += [self._scripted.address] if self._scripted else []
        return tuple(dict.fromkeys(found))

    def of(self, trial: TrialId, seed: str) -> Served:
        """Return how the model of a trial is reached."""
        if is_scripted(trial.model):
            if self._scripted is None:
                raise RuntimeError(f"no persona was to be played, and {trial} asks for one")
            return Served(
                url=self._scripted.upstream(scenario=trial.scenario, names=self._names, seed=seed)
            )
        model = self._real[trial.model]
        if model.provider.id == LOCAL:
            return Served(url=f"http://{self._local[model.name].address}/v1")
        return self._served[trial.model]

    def check(self) -> None:
        """See that the servers that we started are alive.

        Raises:
            HarnessError: one has died.
        """
        if self._scripted:
            self._scripted.check()
        for server in self._local.values():
            server.check()

    @property
    def facts(self) -> dict[str, Any]:
        """What is noted beside the head: engines and settings of local models, hosts of others."""
        local = {f"{LOCAL}/{name}": server.facts for name, server in self._local.items()}
        hosts = {
            model: {"host": join_address(*parse_upstream(served.url).address)}
            for model, served in self._served.items()
        }
        return {"models": local | hosts} if local or hosts else {}


def reached(provider: Provider, endpoints: Endpoints, environ: Mapping[str, str]) -> Served:
    """Return how a provider's server is reached, by command line and environment.

    Raises:
        ConfigError: its address is none, or its key is missing.
    """
    said = environ.get(provider.url_variable, "") if provider.url_variable else ""
    url = endpoints.base_url or _as_url(said) or provider.base_url
    upstream = parse_upstream(url)
    secret = environ.get(provider.key_variable, "").strip() if provider.key_variable else ""
    own = url.rstrip("/") == provider.base_url
    if not secret and provider.needs_key and own:
        raise ConfigError(
            f"{provider.id}/... wants a key: set {provider.key_variable}, or say with --base-url "
            "where a server without one is",
            "models",
        )
    if secret and upstream.scheme != "https" and not _loopback(upstream.host):
        raise ConfigError(
            f"{provider.id}/...: {visible(url)} is not https, and the key in "
            f"{provider.key_variable} would cross the network in the clear; write https://...",
            "models",
        )
    return Served(url=url.rstrip("/"), secret=secret)


def _as_url(said: str) -> str:
    """Return a base URL from what such a variable holds: some say only ``host:port``."""
    said = said.strip().rstrip("/")
    if not said:
        return ""
    if "://" not in said:
        said = f"http://{said}"
    return said if parse_upstream(said).base else f"{said}/v1"


def _loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
