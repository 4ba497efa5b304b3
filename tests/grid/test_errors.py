"""`errors`: what ends a command, with which exit code; the drawn tree is the real one."""

import re

import pytest

from grid import errors
from grid.errors import ConfigError, NonverbaError, VerificationError

DRAWN = {
    name: int(code)
    for name, code in re.findall(r"\+-- (\w+) +(\d)  ", str(errors.__doc__))
}  # fmt: skip


def made(kind: type[NonverbaError]) -> NonverbaError:
    return kind(3, "chain", "broken") if kind is VerificationError else kind("a sentence")


def test_the_tree_in_the_docstring_is_the_tree_of_classes() -> None:
    kinds = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and kind is not NonverbaError
    }
    assert kinds == DRAWN
    assert len(DRAWN) == 6


@pytest.mark.parametrize("name", DRAWN)
def test_every_error_is_one_of_ours_and_no_builtin_that_a_caller_may_catch(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, NonverbaError)
    assert not issubclass(kind, ValueError | OSError | RuntimeError)
    assert made(kind).exit_code == DRAWN[name]


def test_none_of_them_exits_as_if_all_were_fine() -> None:
    assert 0 not in DRAWN.values()
    assert NonverbaError("x").exit_code != 0


def test_a_verification_error_names_its_step_and_keeps_the_parts() -> None:
    error = VerificationError(4, "head", "it is another one")
    assert str(error) == "step 4 (head): it is another one"
    assert (error.step, error.name, error.detail) == (4, "head", "it is another one")


def test_a_config_error_may_say_which_list_holds_the_bad_value() -> None:
    assert ConfigError("write this").field == ""
    assert ConfigError("write this", "models").field == "models"
    assert str(ConfigError("write this", "models")) == "write this"
