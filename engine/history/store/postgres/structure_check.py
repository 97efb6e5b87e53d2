"""Whether the schema has the tables, indexes and functions of a history, and nothing else that acts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.history.store.postgres.functions import FUNCTIONS
from engine.history.store.postgres.link import SCHEMA
from engine.history.store.postgres.migrations import MIGRATIONS
from engine.history.store.sql.connection import SqlConnection

_CREATED = re.compile(r"CREATE (?:UNIQUE )?(TABLE|INDEX) (\w+)")
_KINDS = {"r": "table", "i": "index", "v": "view", "m": "view", "p": "table", "f": "table"}
_RELATIONS = f"""
SELECT relkind::text, relname::text FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace
AND relkind IN ('r', 'i', 'v', 'm', 'p', 'f')
AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = pg_class.oid)
"""
_ACTING = f"""
SELECT 'trigger', tgname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = '{SCHEMA}'::regnamespace AND NOT tgisinternal
UNION ALL SELECT 'rule', rulename::text FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
WHERE relnamespace = '{SCHEMA}'::regnamespace
UNION ALL SELECT 'row security', relname::text FROM pg_class
WHERE relnamespace = '{SCHEMA}'::regnamespace AND relrowsecurity
"""
_FUNCTIONS = f"SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = '{SCHEMA}'::regnamespace"


def structure_problems(connection: SqlConnection) -> Iterator[str]:
    """Yield what was added to the schema, what is missing, and what was changed."""
    expected = {("table", "format"), *_created()}
    found = {(_KINDS[kind], name) for kind, name in connection.execute(_RELATIONS)}
    yield from (f"the {kind} {name} was added to the database" for kind, name in sorted(found - expected))
    yield from (f"the {kind} {name} is missing" for kind, name in sorted(expected - found))
    for kind, name in connection.execute(_ACTING):
        yield f"the {kind} {name} was added to the database"
    if connection.execute("SELECT number FROM format").fetchall() != [(len(MIGRATIONS),)]:
        yield "the format of the database was changed"
    if set(connection.execute(_FUNCTIONS)) != {(name, body) for name, (*_, body) in FUNCTIONS.items()}:
        yield "the functions of the database were changed"


def _created() -> Iterator[tuple[str, str]]:
    for steps in MIGRATIONS:
        for step in steps:
            yield from ((kind.lower(), name) for kind, name in _CREATED.findall(step))
