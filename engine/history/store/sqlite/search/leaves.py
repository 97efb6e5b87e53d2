"""How one match of a query is looked up: by the cases that it finds, or case by case."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from engine.history.search.facts.sketch import needed
from engine.history.search.query.fields import FIELDS, FieldKind
from engine.history.search.query.tree import Exact, FieldMatch
from engine.history.store.sqlite.search.sql import COLUMNS, Where, among, column_condition
from engine.history.store.sqlite.search.texts import text_leaf

LISTED = 20_000
"""So many values that fit are held; of more, each case is asked."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A match in SQL, in two ways that find the same."""

    cases: Where
    """A query for the numbers of the cases that fit."""
    probe: Where
    """A condition on a row of `cases`."""


def leaf(connection: sqlite3.Connection, match: FieldMatch, number: int) -> Leaf:
    """Return how a match is looked up; `number` is its own in the query."""
    field = FIELDS[match.field]
    if field.kind is FieldKind.TEXT:
        return Leaf(*text_leaf(connection, match.field, match.values[0], f"holds_{number}"))
    if field.kind is FieldKind.LIKE:
        return _like(connection, match)
    if match.field in COLUMNS:
        found = column_condition(match)
        return Leaf(
            Where(f"SELECT n FROM cases WHERE {found.sql}", found.values),
            column_condition(match, unindexed=True),
        )
    return _facts(connection, match)


def _facts(connection: sqlite3.Connection, match: FieldMatch) -> Leaf:
    field = FIELDS[match.field]
    fits = among("fact_values.value", match.values, phrase=field.kind is FieldKind.PHRASE)
    named = f"field IN ({', '.join('?' * len(field.facts))}) AND {fits.sql}"
    values = (*field.facts, *fits.values)
    found = connection.execute(
        f"SELECT id FROM fact_values WHERE {named} LIMIT ?", (*values, LISTED + 1)
    ).fetchall()
    if len(found) <= LISTED:
        return by_values([id for (id,) in found])
    cases = f"SELECT case_n FROM facts WHERE value IN (SELECT id FROM fact_values WHERE {named})"
    probe = (
        "EXISTS (SELECT 1 FROM facts CROSS JOIN fact_values ON id = facts.value "
        f"WHERE case_n = cases.n AND {named})"
    )
    return Leaf(Where(cases, values), Where(probe, values))


def by_values(ids: list[int]) -> Leaf:
    """Return how the cases are looked up that have one of these values."""
    listed = json.dumps(ids)
    if len(ids) == 1:
        probe = Where("EXISTS (SELECT 1 FROM facts WHERE facts.value = ? AND case_n = cases.n)", (ids[0],))
        return Leaf(Where("SELECT case_n FROM facts WHERE value = ?", (ids[0],)), probe)
    inside = "value IN (SELECT value FROM json_each(?))"
    probe = Where(f"EXISTS (SELECT 1 FROM facts WHERE case_n = cases.n AND facts.{inside})", (listed,))
    return Leaf(Where(f"SELECT case_n FROM facts WHERE {inside}", (listed,)), probe)


def _like(connection: sqlite3.Connection, match: FieldMatch) -> Leaf:
    """Look up the cases whose sketch shares most hashes with that of a case, which is one of them."""
    ids = [value.text for value in match.values if isinstance(value, Exact)]
    parts = [_like_one(connection, id) for id in ids]
    cases = " UNION ".join(part.sql for part in parts)
    found = Where(cases, tuple(value for part in parts for value in part.values))
    return Leaf(found, Where(f"n IN ({found.sql})", found.values))


def _like_one(connection: sqlite3.Connection, id: str) -> Where:
    own = [
        value
        for (value,) in connection.execute(
            "SELECT facts.value FROM facts JOIN fact_values ON fact_values.id = facts.value "
            "WHERE case_n = (SELECT n FROM cases WHERE id = ?) AND field = 'sketch'",
            (id,),
        )
    ]
    sql = (
        "SELECT case_n FROM facts WHERE value IN (SELECT value FROM json_each(?)) "
        "GROUP BY case_n HAVING count(*) >= ?"
    )
    return Where(sql, (json.dumps(own), needed(len(own))))
