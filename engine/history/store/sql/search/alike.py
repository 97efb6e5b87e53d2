"""How code is looked up that is like that of a submission: by the rarest hashes of its sketch."""

from __future__ import annotations

from collections.abc import Sequence

from engine.history.search.facts.sketch import needed
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.where import Leaf, Where, joined

_OWN = """
SELECT facts.value FROM facts JOIN fact_values ON fact_values.id = facts.value
WHERE case_n = (SELECT n FROM cases WHERE id = ?) AND field = 'sketch'
"""
COMMON = 20_000
"""What more cases have is not looked up: each case is asked."""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM facts WHERE value = ? LIMIT ?) AS found"
_SHARES = """
(SELECT count(*) FROM {facts} WHERE case_n = {case} AND {among}) >= ?
"""


def like_leaf(connection: SqlConnection, ids: Sequence[str]) -> Leaf:
    """Return how the cases are looked up whose sketch shares most hashes with that of one of these."""
    leaves = [_like(connection, id) for id in ids]
    sql = " UNION ".join(f"SELECT * FROM ({leaf.cases.sql}) AS alike" for leaf in leaves)
    cases = Where(sql, tuple(value for leaf in leaves for value in leaf.cases.values))
    probe = joined([leaf.probe for leaf in leaves], "OR")
    return Leaf(cases, probe, common=any(leaf.common for leaf in leaves))


def _like(connection: SqlConnection, id: str) -> Leaf:
    """Look at the cases that have one of the rarest hashes: without any of them, too few are shared."""
    own = [value for (value,) in connection.execute(_OWN, (id,))]
    enough = needed(len(own))
    many = {value: connection.execute(_COUNT, (value, COMMON + 1)).fetchone()[0] for value in own}
    rarest = sorted(own, key=many.__getitem__)[: len(own) - enough + 1]
    rare = connection.dialect.among("value", rarest)
    found = f"SELECT DISTINCT case_n FROM facts WHERE {rare.sql}"
    among_found = _shares(connection, "found.case_n", own)
    cases = f"SELECT case_n FROM ({found}) AS found WHERE {among_found.sql}"
    return Leaf(
        Where(cases, (*rare.values, *among_found.values)),
        _shares(connection, "cases.n", own),
        common=sum(many[value] for value in rarest) > COMMON,
    )


def _shares(connection: SqlConnection, case: str, own: Sequence[int]) -> Where:
    """Return the condition that a case has enough of these hashes."""
    among = connection.dialect.among("value", own)
    facts = connection.dialect.facts_by_case
    return Where(_SHARES.format(facts=facts, case=case, among=among.sql), (*among.values, needed(len(own))))
