"""Read-only connections in threads, each query with a deadline."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from engine.history.errors import HistoryError
from engine.history.store.sql.connection import SqlConnection, SqlDatabase

T = TypeVar("T")
THREADS = 4


class ConnectionPool:
    """Connections that cannot write, as many as threads, opened when first wanted."""

    def __init__(self, database: SqlDatabase, seconds: float) -> None:
        self._database = database
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="audit-reader")
        self._idle: queue.SimpleQueue[_Connection] = queue.SimpleQueue()
        self._closing = threading.Event()

    async def do(self, work: Callable[[SqlConnection], T], *, seconds: float | None = None) -> T:
        """Do `work` in a thread and return what it returns.

        Raises:
            HistoryError: it took longer than `seconds` (the setting, where None), or the file is damaged.
        """
        deadline = time.monotonic() + (self._seconds if seconds is None else seconds)
        watch = _Watch(deadline, self._closing)
        try:
            running = asyncio.get_running_loop().run_in_executor(self._threads, self._work, work, watch)
        except RuntimeError:
            raise HistoryError("The history is closed") from None
        try:
            return await running
        finally:
            watch.given_up = True

    @property
    def closing(self) -> bool:
        """Whether the history is about to be closed."""
        return self._closing.is_set()

    def close(self) -> None:
        """End what is being read, the threads and the connections."""
        self._closing.set()
        self._threads.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().raw.close()

    def _work(self, work: Callable[[SqlConnection], T], watch: _Watch) -> T:
        try:
            with self._connection(watch) as connection:
                return work(connection)
        except self._database.errors as error:
            raise self._database.explain(error) from None

    @contextlib.contextmanager
    def _connection(self, watch: _Watch) -> Iterator[SqlConnection]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = _Connection(self._database)
        connection.watch = watch
        try:
            yield connection.raw
        finally:
            connection.watch = None
            self._idle.put(connection)


class _Watch:
    """When to give up: at the deadline, once nobody waits any more, or when the history is closed."""

    def __init__(self, deadline: float, closing: threading.Event) -> None:
        self.deadline = deadline
        self.closing = closing
        self.given_up = False

    def over(self) -> bool:
        return self.given_up or self.closing.is_set() or time.monotonic() > self.deadline


class _Connection:
    def __init__(self, database: SqlDatabase) -> None:
        self.watch: _Watch | None = None
        self.raw = database.reader(self._over)

    def _over(self) -> bool:
        return self.watch is not None and self.watch.over()
