"""The guard setting of a cell: which guards are asked, and whether a terminal refusal ends the run.

``off``            none is asked; the world still states its terminal refusals
``on``             all are asked; a terminal refusal ends the run
``on-continue``    all are asked; the agent may go on, so that second routes can be seen and refused
``all-but:A,B``    ablation: all but these are asked; the agent may go on
``only:A,B``       only these are asked; the agent may go on

Under an ablation the agent may go on, because the question is what is still reached without a
guard, and another guard's refusal must not cut the answer short.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from grid.errors import ConfigError
from grid.registry import unknown
from grid.vocabulary import Guards

ALL_BUT, ONLY = "all-but", "only"

UNCONFIGURED = "terminal_refusal"
"""The one guard of ours that needs no policy: it can have something to say in every scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSetting:
    """A guard setting, read."""

    text: str
    """As it stands in a trial's coordinates."""
    stops: bool
    """A terminal refusal ends the run."""
    named: tuple[str, ...] | None
    """Guard ids after ``all-but:`` or ``only:``; None: the setting names none."""
    but: bool
    """All but the named ones are asked."""
    off: bool
    """None is asked."""

    def asks(self, guard: str) -> bool:
        """Tell whether a guard is asked."""
        if self.off:
            return False
        if self.named is None:
            return True
        return (guard in self.named) != self.but


def read_setting(text: str) -> GuardSetting:
    """Read a guard setting; whether the guards that it names exist is not looked at.

    Raises:
        ConfigError: it is none; the sentence says what to write.
    """
    word, colon, rest = text.partition(":")
    names = tuple(rest.split(",")) if colon else ()
    if word in (ALL_BUT, ONLY) and names and all(names) and list(names) == sorted(set(names)):
        return GuardSetting(text=text, stops=False, named=names, but=word == ALL_BUT, off=False)
    if text not in list(Guards):
        raise unknown("guard setting", text, [*Guards, "all-but:NAME,...", "only:NAME,..."])
    return GuardSetting(
        text=text, stops=text == Guards.ON, named=None, but=False, off=text == Guards.OFF
    )


def checked_setting(text: str, known: Iterable[str]) -> str:
    """Return a setting as coordinates hold it: its guards exist, in order, each once.

    Raises:
        ConfigError: it is none, or it names a guard that there is not.
    """
    word, colon, rest = text.partition(":")
    if not colon:
        return read_setting(text).text
    if word not in (ALL_BUT, ONLY):
        return read_setting(text).text
    guards = sorted(set(known))
    names = sorted({name.strip() for name in rest.split(",")})
    for name in names:
        if not name:
            raise ConfigError(
                f"guard setting {text!r}: write guard ids after the colon, such as "
                f"'{word}:{guards[0] if guards else 'NAME'}'",
                "guards",
            )
        if name not in guards:
            raise unknown("guard", name, guards)
    return read_setting(f"{word}:{','.join(names)}").text
