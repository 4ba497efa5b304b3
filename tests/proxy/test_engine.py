"""proxy.engine: the engine is set up so that answers can be had again, and says what it lacks."""

import sys
from pathlib import Path

import pytest

from grid.errors import ConfigError
from proxy.engine import EngineConfig, check_file, load_engine, settings, start

CONFIG = EngineConfig(path="m.gguf", alias="m", template="", threads=3, context=4096)


def test_one_slot_one_token_at_a_time_on_loopback() -> None:
    params = settings(CONFIG, load_engine().CommonParams())
    assert (params.n_parallel, params.n_ubatch, params.cache_prompt) == (1, 1, True)
    assert list(params.hostnames) == ["127.0.0.1"]
    assert params.port == 0, "the kernel chooses"
    assert (params.n_ctx, params.cpuparams.n_threads) == (4096, 3)
    assert params.offline


def test_a_missing_engine_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ConfigError, match=r"nonverba\[local\]"):
        load_engine()


def test_a_missing_system_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "xllamacpp":
                raise ImportError("libgomp.so.1: cannot open shared object file")

    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(ConfigError, match="apt install libgomp1"):
        load_engine()


def test_what_is_no_model_is_not_given_to_the_engine(tmp_path: Path) -> None:
    wrong = tmp_path / "m.gguf"
    wrong.write_bytes(b"GGU")
    with pytest.raises(ConfigError, match="does not begin with GGUF"):
        check_file(wrong)
    with pytest.raises(ConfigError, match="does not begin with GGUF"):
        start(EngineConfig(path=str(wrong), alias="m", template="", threads=1, context=512))
