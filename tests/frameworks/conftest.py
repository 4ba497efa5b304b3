"""Fixtures of the adapters' tests: one upstream and one stage per framework, for a module."""

from collections.abc import Iterator

import pytest

from tests.frameworks.stage import FRAMEWORKS, Stage, Upstream


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
