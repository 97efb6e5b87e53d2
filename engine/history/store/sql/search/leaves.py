"""How one match of a query is looked up: by the cases that it finds, or case by case."""

from __future__ import annotations

from engine.history.search.query.fields import FIELDS, FieldKind
from engine.history.search.query.tree import Exact, FieldMatch
from engine.history.store.sql.connection import Dialect, SqlConnection
from engine.history.store.sql.search.alike import like_leaf
from engine.history.store.sql.search.column_conditions import COLUMNS, among, column_condition
from engine.history.store.sql.where import Leaf, Where

LISTED = 20_000
"""So many values that fit are held; of more, each case is asked."""


def leaf(connection: SqlConnection, match: FieldMatch, number: int) -> Leaf:
    """Return how a match is looked up; `number` is its own in the query."""
    field = FIELDS[match.field]
    if field.kind is FieldKind.TEXT:
        return Leaf(*connection.dialect.words(match.field, match.values[0], f"holds_{number}"))
    if field.kind is FieldKind.LIKE:
        return like_leaf(connection, [value.text for value in match.values if isinstance(value, Exact)])
    if match.field in COLUMNS:
        found = column_condition(connection.dialect, match)
        return Leaf(
            Where(f"SELECT n FROM cases WHERE {found.sql}", found.values),
            column_condition(connection.dialect, match, unindexed=True),
        )
    return _facts(connection, match)


def _facts(connection: SqlConnection, match: FieldMatch) -> Leaf:
    field = FIELDS[match.field]
    fits = among(connection.dialect, "fact_values.value", match.values, phrase=field.kind is FieldKind.PHRASE)
    named = f"field IN ({', '.join('?' * len(field.facts))}) AND {fits.sql}"
    values = (*field.facts, *fits.values)
    found = connection.execute(
        f"SELECT id FROM fact_values WHERE {named} LIMIT ?", (*values, LISTED + 1)
    ).fetchall()
    if len(found) <= LISTED:
        return by_values(connection.dialect, [id for (id,) in found])
    cases = f"SELECT case_n FROM facts WHERE value IN (SELECT id FROM fact_values WHERE {named})"
    probe = (
        f"EXISTS (SELECT 1 FROM facts {connection.dialect.join} fact_values ON id = facts.value "
        f"WHERE case_n = cases.n AND {named})"
    )
    return Leaf(Where(cases, values), Where(probe, values))


def by_values(dialect: Dialect, ids: list[int]) -> Leaf:
    """Return how the cases are looked up that have one of these values."""
    if len(ids) == 1:
        probe = Where("EXISTS (SELECT 1 FROM facts WHERE facts.value = ? AND case_n = cases.n)", (ids[0],))
        return Leaf(Where("SELECT case_n FROM facts WHERE value = ?", (ids[0],)), probe)
    inside = dialect.among("facts.value", ids)
    probe = Where(f"EXISTS (SELECT 1 FROM facts WHERE case_n = cases.n AND {inside.sql})", inside.values)
    return Leaf(Where(f"SELECT case_n FROM facts WHERE {inside.sql}", inside.values), probe)
