"""Registries are folders: one module, one public constant, imported when it is asked for.

An unknown name lists the known ones and the nearest; an import error is raised when that entry is
asked for, never logged and skipped.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from types import ModuleType

from grid.errors import ConfigError


@cache
def module_names(package: str) -> tuple[str, ...]:
    """Return the names of the public modules of a package, sorted."""
    found = importlib.import_module(package)
    names = (entry.name for entry in pkgutil.iter_modules(found.__path__))
    return tuple(sorted(name for name in names if not name.startswith("_")))


def load(package: str, name: str, what: str) -> ModuleType:
    """Import one module of a registry package.

    Raises:
        ConfigError: there is none of that name (the known ones are listed), or its file is no
            Python.
    """
    if name not in module_names(package):
        raise unknown(what, name, module_names(package))
    try:
        return importlib.import_module(f"{package}.{name}")
    except SyntaxError as error:
        raise ConfigError(
            f"the file of {what} {name!r}, line {error.lineno}: {error.msg}", field=f"{what}s"
        ) from error


def unknown(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown name: the near ones first, then all."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    sentence = f"unknown {what} {name!r}.{hint} Known: {', '.join(names)}"
    return ConfigError(sentence, field=f"{what}s")
