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


def load(
    package: str, name: str, what: str, public: str = "", kind: type | None = None
) -> ModuleType:
    """Import one module of a registry package.

    Args:
        package: dotted name of the package.
        name: name of the module.
        what: what it holds, for sentences, such as ``scenario``.
        public: the name that it has to define, such as ``build``; empty: none.
        kind: what that has to be an instance of; None: of any kind.

    Raises:
        ConfigError: there is none of that name (the known ones are listed), its file is no Python,
            imports what is not there or fails while it is imported, or it does not define the
            public name.
    """
    if name not in module_names(package):
        raise unknown(what, name, module_names(package))
    try:
        module = importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{package}.{name}":
            raise _broken(what, name, " cannot be read; is it a file?") from error
        raise _broken(what, name, f" imports {error.name!r}, which is not there") from error
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise _broken(what, name, f"{line}: {error.msg}") from error
    except (Exception, SystemExit) as error:  # whoever exits here would end the command as fine
        raise _broken(what, name, f" fails: {type(error).__name__}: {error}") from error
    if public and not hasattr(module, public):
        raise _broken(
            what, name, f" does not define {public!r}; write it at the module's top level"
        )
    if kind is not None and not isinstance(getattr(module, public), kind):
        found = type(getattr(module, public)).__name__
        raise _broken(what, name, f": {public} must be a {kind.__name__}, not {found}")
    return module


def _broken(what: str, name: str, why: str) -> ConfigError:
    return ConfigError(f"the file of {what} {name!r}{why}", field=f"{what}s")


def unknown(what: str, name: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown name: the near ones first, then all."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    sentence = f"unknown {what} {name!r}.{hint} Known: {', '.join(names)}"
    return ConfigError(sentence, field=f"{what}s")
