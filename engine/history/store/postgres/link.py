"""One connection to the server, as the history uses it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg.adapt import Buffer, Loader

from engine.history.store.postgres.placeholders import read
from engine.history.store.postgres.url import ServerUrl

T = TypeVar("T")
SCHEMA = "pratique"
"""The schema that holds the history, so that a database may hold more."""
CONNECT_SECONDS = 5
OPTIONS = {
    "application_name": "pratique",
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": f"-c search_path={SCHEMA} -c TimeZone=UTC -c idle_in_transaction_session_timeout=60s",
}


class _Number(Loader):
    """Reads sums as the numbers that they are of."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data)
        return float(text) if b"." in text else int(text)


class ServerLink(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements are cancelled once `give_up` returns True."""

    give_up: Callable[[], bool] | None = None

    def wait(self, gen: Generator[Any, Any, T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server's answer, looking every tenth of a second whether anybody still does."""
        return super().wait(self._watched(gen), interval, timeout)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        try:
            state, asked = next(gen), False
            while True:
                ready = yield state
                if not ready and not asked and self.give_up and self.give_up():
                    asked = True
                    self.pgconn.get_cancel().cancel()
                state = gen.send(ready)
        except StopIteration as end:
            value: T = end.value
            return value


def connect(url: ServerUrl, *, read_only: bool = False) -> ServerLink:
    """Connect to the server.

    Raises:
        psycopg.Error: it does not answer, or does not let this role in.
    """
    link = ServerLink.connect(url.text, autocommit=True, **_options(read_only=read_only))
    link.row_factory = lambda _: read
    link.adapters.register_loader("numeric", _Number)
    return link


def _options(*, read_only: bool) -> dict[str, Any]:
    if not read_only:
        return OPTIONS
    return {**OPTIONS, "options": f"{OPTIONS['options']} -c default_transaction_read_only=on"}


def end(link: psycopg.Connection[Any]) -> None:
    """Close a connection, however it is."""
    with suppress(psycopg.Error):
        link.close()
