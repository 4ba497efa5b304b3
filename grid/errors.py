"""Errors that the command line turns into one plain sentence and an exit code.

    NonverbaError            one sentence for the user, `exit_code`
    +-- ConfigError          2  bad input: names the field and what to write instead
    +-- HarnessError         3  our own machinery failed: a process died, a disk is full
    +-- NotGateable          3  nothing to judge: no valid trial
    +-- VerificationError    1  a ledger does not hold; carries the number of the step
    +-- CanonicalError       2  a value that has no RFC 8785 form, or JSON that is not strict
    +-- StrictError          2  a record with unknown, missing or wrongly typed fields

Programming mistakes stay built-in exceptions.
"""


class NonverbaError(Exception):
    """Base of everything that ends a command with a plain sentence."""

    exit_code = 2


class ConfigError(NonverbaError):
    """The user's input cannot be used; the sentence says which field and what to write.

    `field` is the name of the list that holds the bad value, where the sentence is about one.
    """

    def __init__(self, sentence: str, field: str = "") -> None:
        """Keep the sentence and the field."""
        super().__init__(sentence)
        self.field = field


class HarnessError(NonverbaError):
    """The harness itself failed; the sentence says what to do next."""

    exit_code = 3


class NotGateable(NonverbaError):
    """There is no valid evidence to answer the question with."""

    exit_code = 3


class CanonicalError(NonverbaError):
    """A value has no canonical form, or bytes are not strict JSON."""


class StrictError(NonverbaError):
    """A record does not have exactly the fields its type declares."""


class VerificationError(NonverbaError):
    """A ledger does not hold; `step` is the number of the failed step of `ledgers.verify`."""

    exit_code = 1

    def __init__(self, step: int, name: str, detail: str) -> None:
        """Build the sentence ``step N (name): detail``."""
        super().__init__(f"step {step} ({name}): {detail}")
        self.step = step
        self.name = name
        self.detail = detail
