"""The order of what a query finds: by any column, page after page."""

from __future__ import annotations

from dataclasses import dataclass

from engine.history.search.query.errors import QueryError, suggestion
from engine.history.search.query.fields import ALIASES
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.search.column_conditions import COLUMNS
from engine.history.store.sql.where import NOTHING, Where

SORTED = tuple(name for name in COLUMNS if name not in {"decision", "id", "digest"})
"""Fields that a search can be sorted by."""


@dataclass(frozen=True, slots=True)
class Order:
    """By `column`, and within the same value the newest first; without one, the newest first."""

    column: str = ""
    descending: bool = False

    @property
    def sql(self) -> str:
        """The order in SQL. What has no value comes last."""
        if not self.column:
            return "n DESC"
        if self.descending:
            return f"{self.column} DESC NULLS LAST, n DESC"
        return f"{self.column} IS NULL, {self.column}, n DESC"

    def after(self, connection: SqlConnection, id: str) -> Where:
        """Return the condition that a case comes after the one with this id."""
        column = self.column or "n"
        row = connection.execute(f"SELECT n, {column} FROM cases WHERE id = ?", (id,)).fetchone()
        if row is None:
            return NOTHING
        number, value = row
        if not self.column:
            return Where("n < ?", (number,))
        if value is None:
            return Where(f"({column} IS NULL AND n < ?)", (number,))
        sign = "<" if self.descending else ">"
        sql = f"({column} {sign} ? OR ({column} = ? AND n < ?) OR {column} IS NULL)"
        return Where(sql, (value, value, number))


NEWEST_FIRST = Order()


def order_of(sort: str) -> Order:
    """Return the order by a field, in descending order with `-` in front.

    Raises:
        QueryError: there is no such field, or no order by it.
    """
    name = sort.removeprefix("-").lower()
    name = ALIASES.get(name, name)
    if not name:
        return Order()
    if name not in SORTED:
        problem = f"Nothing is sorted by {name[:40]!r}"
        raise QueryError(sort, len(sort) - len(name), problem, hint=suggestion(name, SORTED))
    return Order(COLUMNS[name], descending=sort.startswith("-"))
