"""What is run: vocabulary, worlds, tools, guards, clauses, personas, scenarios, the runner.

Evidence comes out of this package; verdicts do not. Only ``ledgers`` judges.

`grid.run` runs a whole grid from Python and returns the finished run, as `nonverba run` does. It is
the composition root's (`grid.cli.running`), which is loaded when it is asked for: importing this
package loads nothing else. Its types stand in the stub beside this file.
"""

import importlib
from typing import Any

__all__ = ["run"]


def __getattr__(name: str) -> Any:
    """Return what the composition root offers here."""
    if name in __all__:
        return getattr(importlib.import_module("grid.cli.running"), name)
    raise AttributeError(f"module 'grid' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names, also of what is not loaded yet."""
    return sorted({*globals(), *__all__})
