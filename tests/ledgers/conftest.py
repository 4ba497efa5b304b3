import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ledgers.chain import Head
from tests.ledgers.runs import make_run


@pytest.fixture(scope="session")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Head]:
    """A small sealed run; never written to."""
    folder = tmp_path_factory.mktemp("sealed") / "run"
    return folder, make_run(folder)


@pytest.fixture
def copy(sealed: tuple[Path, Head], tmp_path: Path) -> Callable[[], Path]:
    """Make copies of the sealed run that a test may spoil."""
    made: list[Path] = []

    def make() -> Path:
        made.append(tmp_path / f"copy-{len(made)}")
        shutil.copytree(sealed[0], made[-1])
        return made[-1]

    return make
