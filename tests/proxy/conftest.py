"""One proxy process for each module of tests."""

from collections.abc import Iterator

import pytest

from tests.proxy.bench import Bench, running_bench


@pytest.fixture(scope="module")
def module_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One recording proxy for a module."""
    with running_bench(tmp_path_factory.mktemp("bench"), body_limit=200_000) as bench:
        yield bench


@pytest.fixture
def bench(module_bench: Bench) -> Iterator[Bench]:
    """The module's proxy, with a fresh upstream and no clients."""
    module_bench.upstream.reset()
    yield module_bench
    module_bench.hang_up()
