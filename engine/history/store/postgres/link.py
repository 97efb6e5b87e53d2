"""One connection to the server, as the history uses it."""

from __future__ import annotations

import select
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
LOCK = 0x50524154
"""`PRAT`: the advisory lock of who writes, for as long as its session lives: alone, or shared by several."""
CONNECT_SECONDS = 5
_SERVER = {
    "search_path": SCHEMA,
    "TimeZone": "UTC",
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": 4,
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 2,
    "tcp_user_timeout": 8000,
}
"""Settings of the session. Of a machine that vanished the server lets go, and of its lock, within 10 s."""
OPTIONS = {
    "application_name": "pratique",
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": " ".join(f"-c {name}={value}" for name, value in _SERVER.items()),
}


class _Number(Loader):
    """Reads sums as the numbers that they are of."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data)
        return float(text) if b"." in text else int(text)


class ServerLink(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements are cancelled once `give_up` returns True."""

    give_up: Callable[[], bool] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the server has closed it, as far as that arrived."""
        while not self.closed and _has_input(self.fileno()):
            with suppress(psycopg.Error):
                self.pgconn.consume_input()
        return self.closed

    def wait(self, gen: Generator[Any, Any, T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server's answer, looking every tenth of a second whether anybody still does."""
        return super().wait(self._watched(gen) if self.give_up else gen, interval, timeout)

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


def _has_input(file: int) -> bool:
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    return bool(waiting.poll(0))


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
