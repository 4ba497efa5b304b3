"""`adapters`: named without an import, imported when asked for, and missing in a sentence."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from frameworks.scripted import ScriptedAdapter
from grid import adapters
from grid.adapter import runs_native
from grid.adapters import (
    adapter_module,
    build_adapter,
    check_framework,
    framework_names,
    is_native,
)
from grid.errors import ConfigError

ROOT = str(Path(__file__).parents[2])


def test_the_adapters_of_this_version_are_named_and_private_modules_are_none() -> None:
    assert framework_names() == (
        "crewai", "crewai-cached-native", "crewai-native", "langgraph", "langgraph-native",
        "langgraph-streamed-native", "scripted", "strands", "strands-native",
    )  # fmt: skip
    native = {name for name in framework_names() if is_native(name)}
    assert native == {
        "crewai-cached-native", "crewai-native", "langgraph-native", "langgraph-streamed-native",
        "strands-native",
    }  # fmt: skip


@pytest.mark.parametrize("name", framework_names())
def test_an_adapter_says_of_its_profile_what_its_name_says(name: str) -> None:
    assert runs_native(adapter_module(name).ADAPTER) is is_native(name)


def test_names_and_the_scripted_adapter_are_there_without_any_framework() -> None:
    script = (
        "import sys\n"
        "from grid.adapters import build_adapter, check_framework, framework_names\n"
        "[check_framework(name) for name in framework_names()]\n"
        "build_adapter('scripted')\n"
        "print(sorted({'crewai', 'langchain', 'langgraph', 'strands'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ROOT}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "name", ["autogen", "", "_run", "scripted.WIRE_NOTES", "../grid", "crewai_native", "native"]
)
def test_an_unknown_framework_is_refused_with_the_known_ones(name: str) -> None:
    for refuse in (check_framework, adapter_module, build_adapter):
        with pytest.raises(ConfigError, match="Known: crewai, crewai-cached-native, "):
            refuse(name)


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(ConfigError, match=r"Did you mean langgraph or langgraph-native or "):
        check_framework("lang-graph")


def test_a_framework_that_is_not_installed_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "frameworks.strands", raising=False)
    for package in ("httpx", "openai", "pydantic", "strands"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=r"'strands' needs .*install nonverba\[frameworks\]"):
        build_adapter("strands")


def test_a_framework_that_breaks_on_import_is_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_words: str) -> SimpleNamespace:
        raise ImportError("cannot import name 'Agent'")

    monkeypatch.setattr(adapters, "load", broken)
    with pytest.raises(ImportError, match="cannot import name"):
        adapter_module("strands")


def test_each_call_builds_a_new_adapter() -> None:
    first, second = build_adapter("scripted"), build_adapter("scripted")
    assert isinstance(first, ScriptedAdapter)
    assert first is not second
