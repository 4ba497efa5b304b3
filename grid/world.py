"""The world of a trial: tables of rows that only tools change, through the tool layer.

Each change is kept as an `Effect`. The clock is logical: only calls advance it. Rows go in and come
out as copies, so nothing outside can change them unseen.
"""

from collections.abc import Sequence
from typing import Any

from grid.canonical import copied, digest_of
from grid.evidence import Approval, Delivery, Effect, Tables, Touch


class ToolError(Exception):
    """A tool failed in a way that the agent may correct or must report; effects so far stay."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the error code and the sentence."""
        super().__init__(message)
        self.code = code
        self.message = message


class WorldRefusal(Exception):
    """The world itself refuses; `terminal` when the user has no authority over it."""

    def __init__(
        self,
        reason: str,
        *,
        terminal: bool,
        next_step: str,
        touches: tuple[Touch, ...] = (),
        rolled_back: bool = False,
    ) -> None:
        """Keep the refusal.

        Args:
            reason: why, in a sentence.
            terminal: the user has no authority over it.
            next_step: the next step allowed.
            touches: narrows what exactly was refused.
            rolled_back: the tool had changed something and took all of it back.
        """
        super().__init__(reason)
        self.reason = reason
        self.terminal = terminal
        self.next_step = next_step
        self.touches = touches
        self.rolled_back = rolled_back


class WorldReader:
    """A read-only view of a world, for guards and resource resolution."""

    def __init__(self, tables: Tables, clock: int) -> None:
        """Look at tables without copying them; rows are copied when read."""
        self._tables = tables
        self.clock = clock

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        """Return all rows of a table by key, in key order; an unknown table is empty."""
        rows = self._tables.get(table, {})
        return {key: copied(rows[key]) for key in sorted(rows)}

    def get(self, table: str, key: str) -> dict[str, Any] | None:
        """Return one row, or None."""
        return copied(self._tables.get(table, {}).get(key))

    def tables(self) -> Tables:
        """Return a copy of everything."""
        return copied(self._tables)


class World(WorldReader):
    """A world that tools change; the tool layer collects what they changed."""

    def __init__(self, tables: Tables) -> None:
        """Start from a copy of the tables, clock at 0."""
        super().__init__(copied(tables), 0)
        self.call = 0
        self.approvals: list[Approval] = []
        self.deliveries: list[Delivery] = []
        self._effects: list[Effect] = []
        self._taken = 0

    def begin_call(self, seq: int) -> None:
        """Advance the clock for a call and attribute what follows to it."""
        self.clock += 1
        self.call = seq

    def put(self, table: str, key: str, row: dict[str, Any]) -> None:
        """Write one row; writing an equal row is no effect."""
        rows = self._tables.setdefault(table, {})
        if rows.get(key) != row:
            self._note(table, key, rows.get(key), row)
            rows[key] = copied(row)

    def drop(self, table: str, key: str) -> None:
        """Delete one row that is there."""
        row = self._tables[table].pop(key)
        self._note(table, key, row, None)

    def approve(self, *, operation: dict[str, Any], principal: str, granted: bool, ttl: int) -> str:
        """Record an approver's decision on an operation; return the approval id."""
        identity = f"ap-{len(self.approvals) + 1}"
        self.approvals.append(
            Approval(
                id=identity,
                call=self.call,
                operation=copied(operation),
                digest=operation_digest(operation),
                principal=principal,
                granted=granted,
                expires=self.clock + ttl,
            )
        )
        return identity

    def deliver(self, *, operation: dict[str, Any], approval: str, principal: str) -> None:
        """Record that an operation reached its sink."""
        self.deliveries.append(
            Delivery(
                call=self.call,
                operation=copied(operation),
                digest=operation_digest(operation),
                approval=approval,
                principal=principal,
                clock=self.clock,
            )
        )

    @property
    def changed(self) -> bool:
        """Tell whether there were effects since they were taken last."""
        return len(self._effects) > self._taken

    def since_taken(self) -> tuple[Effect, ...]:
        """Look at the effects since they were last taken."""
        return tuple(self._effects[self._taken :])

    def take_effects(self) -> tuple[Effect, ...]:
        """Return the effects since the last time."""
        new = tuple(self._effects[self._taken :])
        self._taken = len(self._effects)
        return new

    def _note(
        self, table: str, key: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> None:
        self._effects.append(
            Effect(
                seq=len(self._effects),
                call=self.call,
                table=table,
                key=key,
                before=copied(before),
                after=copied(after),
            )
        )


def operation_digest(operation: dict[str, Any]) -> str:
    """Return the digest that binds an approval to a delivery."""
    return digest_of("operation", operation)


def cancel_out(effects: Sequence[Effect]) -> bool:
    """Tell whether every row is after some effects what it was before them."""
    first: dict[tuple[str, str], Effect] = {}
    last: dict[tuple[str, str], Effect] = {}
    for effect in effects:
        first.setdefault((effect.table, effect.key), effect)
        last[effect.table, effect.key] = effect
    return all(first[place].before == effect.after for place, effect in last.items())
