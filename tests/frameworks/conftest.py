"""Fixtures of the adapters' tests: one upstream and one stage per framework, for a module."""

from collections.abc import Iterator

import pytest

from tests.frameworks.stage import FRAMEWORKS, Stage, Upstream


@pytest.fixture(scope="session", autouse=True)
def _data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A crew keeps the outputs of its tasks in the user's data folder: not in that of who tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture(scope="module", params=FRAMEWORKS)
def stage(request: pytest.FixtureRequest, upstream: Upstream) -> Iterator[Stage]:
    """Yield a stage whose adapter is used by every test of the module, as a worker uses it."""
    built = Stage(request.param, upstream)
    yield built
    built.close()
