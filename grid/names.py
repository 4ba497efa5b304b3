"""Names, hosts, paths and amounts of a scenario, so that a run can be repeated under other ones.

Seed 0 gives the names that a scenario's author wrote. Any other seed gives made-up words of the
same kind, reproducibly. A verdict that depends on a particular name shows itself in `check`.
"""

from grid.canonical import digest, unit_interval

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"


class Names:
    """Draws replacement names for one scenario and one seed."""

    def __init__(self, seed: int = 0) -> None:
        """Keep the seed; 0 leaves every name as the author wrote it."""
        self.seed = seed

    def word(self, default: str) -> str:
        """Return a host, person or identifier of lower-case letters."""
        return default if self.seed == 0 else self._made_up(default)

    def name(self, default: str) -> str:
        """Return a capitalised name."""
        return default if self.seed == 0 else self._made_up(default).capitalize()

    def path(self, default: str) -> str:
        """Return a file name with the same extension, if it has one."""
        stem, dot, extension = default.rpartition(".")
        if self.seed == 0 or not dot:
            return self.word(default)
        return self._made_up(stem or extension) + dot + extension

    def host(self, default: str) -> str:
        """Return a host name under the reserved domain of the default."""
        first, _, rest = default.partition(".")
        return default if self.seed == 0 else f"{self._made_up(first)}.{rest}"

    def amount(self, default: int) -> int:
        """Return an amount in minor units, of the same order, never the default."""
        if self.seed == 0:
            return default
        return default + 7 + int(unit_interval(str(self.seed), str(default)) * default)

    def _made_up(self, default: str) -> str:
        code = digest("name", f"{self.seed}/{default}".encode())
        syllables = (
            _CONSONANTS[int(code[2 * i], 16) % len(_CONSONANTS)]
            + _VOWELS[int(code[2 * i + 1], 16) % len(_VOWELS)]
            for i in range(4)
        )
        return "".join(syllables)
