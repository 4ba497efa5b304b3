"""Loading adapters by dotted name, when asked for: the only place that knows where they are.

A framework package is imported in its one adapter and nowhere else, so that the command line starts
fast and judging needs none of them.
"""

from typing import Any

from grid.adapter import Adapter
from grid.errors import ConfigError
from grid.registry import load, module_names, unknown

PACKAGE = "frameworks"
SCRIPTED = "scripted"
NATIVE = "-native"
"""How the name of an adapter in a native profile ends."""


def framework_names() -> tuple[str, ...]:
    """Return the names of all adapters; that of a native profile ends in ``-native``."""
    return tuple(name.replace("_", "-") for name in module_names(PACKAGE))


def is_native(name: str) -> bool:
    """Tell whether an adapter runs its framework with the framework's own defaults."""
    return name.endswith(NATIVE)


def check_framework(name: str) -> None:
    """Refuse an unknown framework without importing anything.

    Raises:
        ConfigError: the known names are listed.
    """
    if name not in framework_names():
        raise unknown("framework", name, framework_names())


def adapter_module(name: str) -> Any:
    """Import an adapter's module.

    Raises:
        ConfigError: unknown, or its framework is not installed.
    """
    check_framework(name)  # a module has one name: no underscore for a hyphen
    try:
        return load(PACKAGE, name.replace("-", "_"), "framework", "ADAPTER")
    except ConfigError as error:
        missing = error.__cause__
        if not isinstance(missing, ModuleNotFoundError):
            raise
        raise ConfigError(
            f"framework {name!r} needs the package {missing.name!r}, which is not installed; "
            "install nonverba[frameworks]"
        ) from missing


def build_adapter(name: str) -> Adapter:
    """Return a new adapter, for one worker process.

    Raises:
        ConfigError: there is none, or it cannot be made.
    """
    try:
        adapter: Adapter = adapter_module(name).ADAPTER()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"framework {name!r}: ADAPTER() fails: {type(error).__name__}: {error}", "frameworks"
        ) from error
    return adapter
