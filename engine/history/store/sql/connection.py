"""What the history asks of a connection to a database, and of the dialect of its SQL.

Placeholders are `?` and `:name`. Rows are tuples of the same types whatever the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from engine.history.errors import HistoryError
from engine.history.search.query.tree import Value
from engine.history.store.sql.where import Where

Values = Sequence[Any] | Mapping[str, Any]


class Cursor(Protocol):
    """The rows of a statement."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchmany(self, size: int = 1) -> list[Any]:
        """Return the next rows, at most so many."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows that are left."""

    def close(self) -> None:
        """Let go of the rows that are left."""


class EndRecord(NamedTuple):
    """What is read of a record to follow the chain."""

    seq: int
    previous: bytes
    hash: bytes
    type: str


class HeldEnd(NamedTuple):
    """The end of the chain while this engine holds it, among several that write."""

    records: Sequence[EndRecord]
    """The last record that this engine knew, and all after it."""
    note: str | None
    """The signed head; None where there is none."""


class SqlConnection(Protocol):
    """A connection to the database of a history, used by one thread at a time."""

    @property
    def Error(self) -> type[Exception]:  # noqa: N802 - so named by PEP 249
        """The base of all errors of this database."""

    @property
    def dialect(self) -> Dialect:
        """Where the SQL of this database differs."""

    def begin(self, known: int | None) -> HeldEnd | None:
        """Begin a transaction that writes; return the end from the record numbered `known` on.

        None where no other engine writes, or nothing is known.
        """

    def execute(self, sql: str, parameters: Values = (), /) -> Cursor:
        """Execute a statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> object:
        """Execute a statement once for each of these values, of which no answer is needed.

        Within a transaction it may wait for the next statement, which then raises its error.
        """

    def close(self) -> None:
        """End the connection."""


class Dialect(Protocol):
    """Where databases differ: how texts are compared and indexed, and what the planner has to be told."""

    @property
    def is_new(self) -> bool:
        """Whether this is one of several engines, and writes this history for the first time."""

    def place(self, id: str, *, is_open: bool) -> None:
        """Note, where several engines write, that an open submission is with this one."""

    def bind_key(self, key: str, id: str) -> str:
        """Bind an idempotency key to a submission where several engines write.

        Return the submission that it is bound to already; nothing otherwise.
        """

    @property
    def join(self) -> str:
        """A join of tables that are read in the order in which they are named."""

    def unindexed(self, column: str) -> str:
        """Return a column so that no index of it is used."""

    def like(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that a text has these parts in order, with anything between them."""

    def contains(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that these parts are in a text in order, in small or capital letters."""

    def among(self, column: str, numbers: Sequence[int]) -> Where:
        """Return the condition that a column has one of these numbers, however many they are."""

    @property
    def facts_by_case(self) -> str:
        """The table of facts, read by the numbers of cases."""

    def counted_facts(self, fields: Sequence[str], numbers: Sequence[int]) -> Where:
        """Return the query for the values of facts of these cases, with how many have each."""

    def words(self, field: str, value: Value, name: str) -> tuple[Where, Where]:
        """Return a query for the cases that use a text with these words, and a condition on a case.

        `name` is used by no other text of the query.
        """

    def index_texts(self) -> bool:
        """Index the next contents for the search, and return whether there may be more."""

    def forget_text(self, number: int, body: bytes) -> None:
        """Take a content out of the index of texts, before it is erased."""

    def rows(self, query: str, values: Values) -> list[tuple[Any, ...]]:
        """Return all rows; what was replaced by something that is no text comes as lone surrogates."""

    def structure_problems(self) -> Iterator[str]:
        """Yield what the database has beside the tables and indexes of a history, and lacks of them."""

    def index_problems(self) -> Iterator[str]:
        """Yield what is wrong with the index of texts, and with the database as it finds itself."""

    def tidy(self) -> None:
        """Do what this database needs from time to time, outside of a transaction."""

    def merge_texts(self, *, begin: bool) -> bool:
        """Write some of the index of texts anew without what was taken out; return whether there is more."""

    def purge(self) -> bool:
        """Write over what was deleted, outside of a transaction; return whether all was written anew."""


class Lock(Protocol):
    """What one engine holds while it writes a history."""

    def close(self) -> None:
        """Let go."""


class SqlDatabase(Protocol):
    """Where a history is stored."""

    @property
    def path(self) -> Path:
        """Beside what the key and the checkpoints lie on this machine."""

    @property
    def file(self) -> Path | None:
        """The file that another process can verify, where it is one."""

    @property
    def name(self) -> str:
        """What people are told that did not answer."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What opening it, and its connections, may raise."""

    def lock(self) -> Lock:
        """Return what one engine holds on the history.

        Raises:
            HistoryError: another engine holds it.
        """

    def writer(self) -> SqlConnection:
        """Return a connection that writes; the tables are created or upgraded.

        Raises:
            HistoryError: it is another program's database, or of a format that cannot be upgraded.
        """

    def reader(self, give_up: Callable[[], bool]) -> SqlConnection:
        """Return a connection that cannot write, whose statements fail once `give_up` returns True."""

    def explain(self, error: Exception) -> HistoryError:
        """Return what an error means, and what to type next."""
