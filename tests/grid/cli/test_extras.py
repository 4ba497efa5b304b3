"""A package that is missing is a sentence that names the extra."""

import pytest

from grid.cli.extras import lacking, needing
from grid.errors import ConfigError


def test_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(ConfigError) as found, needing("gate", "stats"):
        raise ModuleNotFoundError("No module named 'scipy'", name="scipy")
    said = "gate needs scipy, which is not installed; install nonverba[stats]"
    assert (str(found.value), found.value.exit_code) == (said, 2)


def test_a_package_that_does_not_load_says_why() -> None:
    error = ImportError("Unable to import required\ndependencies:  numpy" + "x" * 1000)
    said = str(lacking("compare", "stats", error))
    assert "does not load (Unable to import required dependencies: numpyx" in said
    assert len(said) < 400


def test_other_mistakes_pass() -> None:
    with pytest.raises(ZeroDivisionError), needing("gate", "stats"):
        raise ZeroDivisionError
