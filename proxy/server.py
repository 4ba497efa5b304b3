"""``python -m proxy.server CONFIG.json``: the recording proxy, one process for a whole run.

A minimal mitmproxy master: no terminal, no flow list, no scripts, no stock replay. One listener
on loopback with a port that the system chooses, reverse mode with an unusable target, so that a
request which our addons did not route goes nowhere; where it is asked for, a second one that
forwards (see `proxy.forward`). The runner opens and closes trials by commands on standard input
(see `proxy.lifeline`); the order of our addons is the order of the text below.
"""

import asyncio
import logging
import os
import signal
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mitmproxy import ctx
from mitmproxy.addonmanager import Loader
from mitmproxy.addons.core import Core
from mitmproxy.addons.disable_h2c import DisableH2C
from mitmproxy.addons.errorcheck import ErrorCheck
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.connection import Server
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.tls import TlsData

from grid.canonical import load_json
from grid.errors import ConfigError, HarnessError, NonverbaError
from grid.strict import from_json
from proxy.address import exposure, join_address, parse_address, parse_listen
from proxy.attribution import Attribution
from proxy.authority import Authority, ClientTls
from proxy.forward import Forward
from proxy.layers import Layers
from proxy.lifeline import die_with_parent, end, exit_with_sentence, obey, say
from proxy.opentrials import OpenTrials, Policy
from proxy.quickhooks import QuickMaster
from proxy.recorder import Recorder
from proxy.replayer import Replayer
from proxy.resolving import CheckedLoop
from proxy.strays import Strays
from proxy.trial import Opening
from proxy.trust import remove_certificate
from proxy.upstreams import DENIED, Upstreams
from proxy.wire.exchange import Gap

BODY_MOST = 10 * 1024 * 1024
"""The highest body limit: six times it, escaped, must still be a JSON line that can be read."""

_BLACKHOLE = "reverse:http://127.0.0.1:1"
_FORWARD = "regular"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyConfig:
    """The configuration file."""

    mode: str
    """``record`` or ``replay``."""
    directory: str
    """Folder of the partial files, mode 0700."""
    upstreams: tuple[str, ...]
    """``host:port`` of everything that may be connected to. In replay nothing may: there, and only
    with `forward`, they are what a client may address."""
    record: bool
    """False only for the benchmark."""
    body_limit: int
    """The most bytes of one body."""
    forward: bool = False
    """Listen for clients that come by ``HTTPS_PROXY`` too."""
    listen: str = "127.0.0.1"
    """Address to listen on; any but a loopback one lets other machines in."""


class UpstreamTls:
    """TLS towards upstreams only: the stock addon's two hooks for that, and none of its others.

    So no certificate authority is made in a file, clients are offered no TLS here, and no path is
    answered by mitmproxy itself.
    """

    def __init__(self) -> None:
        self._stock = TlsConfig()

    def load(self, loader: Loader) -> None:
        """Declare mitmproxy's TLS options."""
        self._stock.load(loader)

    def tls_start_server(self, tls_start: TlsData) -> None:
        """Set up TLS to an upstream, its certificate checked for the host we go to."""
        server = tls_start.conn
        if isinstance(server, Server) and server.address is not None:
            server.sni = server.address[0]
        self._stock.tls_start_server(tls_start)


class Ready:
    """Says on standard output which ports were bound; the last addon, so everything else is up."""

    def __init__(self, authority: Authority | None) -> None:
        """Keep what clients of the forward listener have to trust."""
        self._authority = authority

    def running(self) -> None:
        """Write the ready line."""
        servers = ctx.master.addons.get("proxyserver").servers
        ports = {server.mode.type_name: server.listen_addrs[0][1] for server in servers}
        say(
            {
                "ready": True,
                "port": ports["reverse"],
                "forward_port": ports.get("regular"),
                "authority": self._authority and str(self._authority.certificate),
            }
        )


class Alarm(logging.Handler):
    """Fails every trial with an exchange under way when mitmproxy logs an error of its own."""

    def __init__(self, trials: OpenTrials) -> None:
        """Keep the open trials."""
        super().__init__(logging.ERROR)
        self._trials = trials

    def emit(self, record: logging.LogRecord) -> None:
        """Fail the trials and repeat the error for the runner."""
        cause = record.exc_info[1] if record.exc_info else None
        sentence, trials = f"mitmproxy reports: {record.getMessage()} {cause!r}", self._trials
        for trial in trials.under_way():
            sentence = trial.redaction.clean_text(sentence)
        print(sentence[:500], file=sys.stderr, flush=True)
        for trial in trials.under_way():
            trial.fail(Gap.INTERNAL_ERROR, sentence[:500])


def read_config(path: Path) -> ProxyConfig:
    """Read and check the configuration.

    Raises:
        ConfigError: it cannot be used; the sentence says which field.
        HarnessError: the folder cannot be written.
    """
    try:
        config = from_json(ProxyConfig, load_json(path.read_bytes()))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except NonverbaError as error:
        raise ConfigError(f"{path}: {error}") from error
    if config.mode not in ("record", "replay"):
        raise ConfigError(f"mode: expected record or replay, found {config.mode!r}")
    for text in config.upstreams:
        parse_address(text)
    if config.mode == "replay" and config.upstreams and not config.forward:
        raise ConfigError("upstreams: empty in replay, where nothing may be connected to")
    parse_listen(config.listen)
    if not 0 < config.body_limit <= BODY_MOST:
        raise ConfigError(f"body_limit: 1 to {BODY_MOST} bytes")
    _check_directory(Path(config.directory))
    return config


def _check_directory(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISDIR(mode) or mode & 0o077:
            raise ConfigError(f"directory: {path} must be a folder with mode 0700")
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"x")
    except OSError as error:
        raise HarnessError(f"directory: cannot write to {path}: {error.strerror}") from error


def build_options(config: ProxyConfig) -> Options:
    """Return mitmproxy's options, all of which are set when the master's addons are there."""
    at = join_address(config.listen, 0)
    return Options(
        mode=[f"{_BLACKHOLE}@{at}", *([f"{_FORWARD}@{at}"] if config.forward else [])],
        listen_host=config.listen,
        confdir=config.directory,
        http2=False,
        http3=False,
        websocket=False,
        rawtcp=False,
        upstream_cert=False,
        ssl_insecure=False,
        ssl_verify_upstream_trusted_ca=os.environ.get("SSL_CERT_FILE"),
    )


def build_master(config: ProxyConfig, trials: OpenTrials, strays: Strays) -> Master:
    """Put the master together; must be called on a running loop."""
    master = QuickMaster(build_options(config))
    authority = Authority(Path(config.directory)) if config.forward else None
    forward = Forward(trials, strays, _addresses(config)) if config.forward else None
    recorder = Recorder(config.body_limit)
    replayer = [Replayer(recorder)] if config.mode == "replay" else []
    master.addons.add(
        Core(),
        DisableH2C(),
        Proxyserver(),
        Layers(),
        UpstreamTls(),
        *([ClientTls(authority)] if authority else []),
        ErrorCheck(repeat_errors_on_stderr=True),
        *([forward] if forward else []),
        Attribution(trials, strays, forward),
        Upstreams(_connectable(config), forward),
        recorder,
        *replayer,
        Ready(authority),
    )
    master.options.update(
        connection_strategy="lazy",
        body_size_limit=str(config.body_limit),
        validate_inbound_headers=True,
        keep_host_header=False,
        store_streamed_bodies=False,
    )
    return master


def _addresses(config: ProxyConfig) -> frozenset[tuple[str, int]]:
    return frozenset(parse_address(text) for text in config.upstreams)


def _connectable(config: ProxyConfig) -> frozenset[tuple[str, int]]:
    return frozenset() if config.mode == "replay" else _addresses(config)


async def serve(config: ProxyConfig) -> None:
    """Run the proxy until the runner ends it."""
    trials = OpenTrials(
        Policy(
            directory=Path(config.directory),
            listed=_connectable(config),
            replaying=config.mode == "replay",
            recording=config.record,
            forward=config.forward,
        )
    )
    strays = Strays()

    async def answer(word: str, fields: dict[str, Any]) -> dict[str, object]:
        if word == "open":
            trials.open(from_json(Opening, fields))
            return {}
        if word == "close" and set(fields) == {"token"}:
            return await trials.close(str(fields["token"]))
        if word == "unattributed" and not fields:
            return strays.told()
        raise ConfigError(f"no command {word!r} with the fields {sorted(fields)}")

    def leave() -> None:
        if config.forward:
            remove_certificate(Path(config.directory))

    master = build_master(config, trials, strays)
    logging.getLogger().addHandler(Alarm(trials))
    loop = asyncio.get_running_loop()
    if config.forward:
        loop.add_signal_handler(signal.SIGTERM, end, leave)
    obeying = loop.create_task(obey(answer, leave))
    try:
        await master.run()
    finally:
        obeying.cancel()
        leave()


def main() -> None:
    """Read the configuration and serve."""
    die_with_parent()
    try:
        if len(sys.argv) != 2:
            raise ConfigError("write: python -m proxy.server CONFIG.json")
        config = read_config(Path(sys.argv[1]))
        if warning := exposure(config.listen):
            print(warning, file=sys.stderr, flush=True)
        listed = _connectable(config)
        asyncio.run(serve(config), loop_factory=lambda: CheckedLoop(listed, DENIED))
    except (NonverbaError, OSError) as error:
        exit_with_sentence(error)


if __name__ == "__main__":
    main()
