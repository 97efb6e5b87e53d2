"""The index of facts of a synthetic history, filled while its submissions are written."""

from __future__ import annotations

from collections.abc import Iterable

from engine.history.search.facts.names import Fact
from engine.history.store.sql.connection import SqlConnection


class BulkFacts:
    """Numbers values itself and writes them in batches, into an index that is still empty."""

    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection
        self._numbers: dict[Fact, int] = {}
        self._fresh: list[tuple[int, str, str]] = []
        self._rows: list[tuple[int, int]] = []

    def add(self, case: int, facts: Iterable[Fact]) -> None:
        """Note what the submission with this number is found by."""
        self._rows += [(self._number(fact), case) for fact in facts]

    def write(self, until: int) -> None:
        """Write what was noted, which is all there is up to this event."""
        self._connection.executemany(
            "INSERT INTO fact_values (id, field, value) VALUES (?, ?, ?)", self._fresh
        )
        self._connection.executemany("INSERT INTO facts VALUES (?, ?)", sorted(self._rows))
        self._connection.execute("UPDATE facts_progress SET indexed = ?", (until,))
        self._fresh, self._rows = [], []

    def _number(self, fact: Fact) -> int:
        number = self._numbers.get(fact)
        if number is None:
            number = self._numbers[fact] = len(self._numbers) + 1
            self._fresh.append((number, *fact))
        return number
