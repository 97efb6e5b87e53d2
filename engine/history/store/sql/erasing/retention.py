"""Erasing contents that the rules do not keep. Events stay, and say what was erased by which rule."""

from __future__ import annotations

from datetime import datetime, timedelta

from engine.history.chain import chain
from engine.history.store.credible_clock import CredibleClock
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.facts import index as facts_index
from engine.history.store.sql.ledger import ENGINE, Ledger
from engine.models import OPEN
from engine.settings import HistorySettings

AT_ONCE = 200
"""How many contents one transaction erases."""
_OPEN = ", ".join(f"'{status.value}'" for status in sorted(OPEN))
_NEEDED = f"""
EXISTS (
    SELECT 1 FROM case_blobs JOIN cases ON cases.n = case_blobs.case_n
    WHERE case_blobs.blob = blobs.n AND (cases.submitted_at >= ? OR cases.status IN ({_OPEN}) OR {{}})
)
"""
_OLDEST = f"""
SELECT n, digest, body FROM blobs
WHERE body IS NOT NULL AND at <= ? AND NOT {_NEEDED} ORDER BY at LIMIT {AT_ONCE}
"""
_NUMBER = "SELECT n FROM cases WHERE id = ?"
_NEWEST = "SELECT max(at) FROM blobs WHERE body IS NOT NULL"
_NEVER = "9999"
"""A moment that no case is submitted after: only open ones are needed."""


def erase_some(
    ledger: Ledger,
    settings: HistorySettings,
    now: datetime,
    clock: CredibleClock,
    held: frozenset[str] = frozenset(),
) -> int:
    """Erase the next contents that the rules do not keep and that no case of `held` uses; return how many.

    By a clock that cannot be believed nothing is too old. What is too much is measured without a clock: the
    newest contents stay, with those of the time before them.
    """
    connection = ledger.connection
    if settings.retain_days is not None and clock.believes(now, connection):
        before = chain.stamp(now - timedelta(days=settings.retain_days))
        rows = _oldest(connection, before, before, held)
        if rows:
            return _erase(ledger, rows, f"older than {settings.retain_days} days")
    if settings.retain_mb is not None:
        over = _stored(connection) - settings.retain_mb * 1_000_000
        if over > 0:
            oldest = _before_newest(connection, settings.retain_newest_seconds)
            rows = _oldest(connection, oldest, _NEVER, held)
            return _erase(ledger, _enough(rows, over), f"more than {settings.retain_mb} MB")
    return 0


def _oldest(
    connection: SqlConnection, at: str, needed_from: str, held: frozenset[str]
) -> list[tuple[int, bytes, bytes]]:
    """Return the oldest contents up to a moment that no case needs: number, digest, packed bytes."""
    found = (connection.execute(_NUMBER, (id,)).fetchone() for id in held)
    kept = connection.dialect.among("cases.n", [row[0] for row in found if row])
    values = (at, needed_from, *kept.values)
    return connection.execute(_OLDEST.format(kept.sql), values).fetchall()


def _before_newest(connection: SqlConnection, seconds: float) -> str:
    """Return the moment so many seconds before the newest content that is kept."""
    (newest,) = connection.execute(_NEWEST).fetchone()
    if newest is None:
        return ""
    return chain.stamp(datetime.fromisoformat(newest) - timedelta(seconds=seconds))


def _stored(connection: SqlConnection) -> int:
    (total,) = connection.execute(
        "SELECT coalesce(sum(stored), 0) FROM blobs WHERE body IS NOT NULL"
    ).fetchone()
    return int(total)


def _enough(rows: list[tuple[int, bytes, bytes]], over: int) -> list[tuple[int, bytes, bytes]]:
    count = 0
    while count < len(rows) and over > 0:
        over -= len(rows[count][2])
        count += 1
    return rows[:count]


def _erase(ledger: Ledger, rows: list[tuple[int, bytes, bytes]], rule: str) -> int:
    for number, digest, body in rows:
        forget_content(ledger.connection, number, digest.hex(), body)
    if rows:
        digests = [digest.hex() for _, digest, _ in rows]
        data = {"rule": rule, "digests": digests}
        ledger.append("history.erased", "", ENGINE, chain.canonical_data(data))
    return len(rows)


def forget_content(connection: SqlConnection, number: int, digest: str, body: bytes) -> None:
    """Erase a content, and its words in the indexes."""
    connection.dialect.forget_text(number, body)
    facts_index.forget_code(connection, digest)
    connection.execute("UPDATE blobs SET body = NULL, stored = 0 WHERE n = ?", (number,))
