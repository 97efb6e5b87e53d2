"""Records that have to be made in the end: on a full or hanging disk they wait, and Health says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from engine.common import log
from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.history.errors import HistoryError, InvalidEventError
from engine.models import Check

T = TypeVar("T")
FIRST_SECONDS = 0.1
MOST_SECONDS = 2.0
"""The longest pause between two attempts."""
SOON_SECONDS = 1.0
"""How long an action that is done already waits for its record before it answers."""
SLOW_SECONDS = 3.0
"""A record that takes longer is told in Health."""
HOPELESS_TRIES = 20
"""After so many failures a record is given up, if others were made meanwhile: it is not the disk's fault."""


class PendingRecords:
    """Keeps trying to make records, in the order they came once one has failed."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.waiting = 0
        self.error: HistoryError | None = None
        """Why the last attempt to record anything failed; None if it succeeded."""
        self._supervisor = supervisor
        self._turn = asyncio.Lock()
        self._succeeded_at = 0.0
        self._started: dict[int, float] = {}
        self._next = 0

    async def insist(self, record: Callable[[], Awaitable[T]]) -> T:
        """Make a record, again until the history takes it; what is cancelled meanwhile is not recorded.

        Raises:
            HistoryError: the history takes other records, and never this one.
        """
        if not self._turn.locked():
            try:
                return await self._timed(record)
            except InvalidEventError:
                raise
            except HistoryError as error:
                self.failed(error)
        self.waiting += 1
        try:
            async with self._turn:
                return await self._again(record)
        finally:
            self.waiting -= 1

    async def soon(self, record: Callable[[], Awaitable[Any]]) -> None:
        """Make a record of what is done already: return once it is made, or once it has to wait."""

        async def made() -> None:
            await self.insist(record)

        await asyncio.wait({self._supervisor.start("records", made)}, timeout=SOON_SECONDS)

    async def settle(self, within: float) -> None:
        """Wait until nothing waits any more, for so many seconds at most; log how many records are lost."""
        try:
            async with asyncio.timeout(within):
                while self.waiting:
                    await asyncio.sleep(FIRST_SECONDS)
        except TimeoutError:
            log.warning("records.lost", count=self.waiting, reason=str(self.error or ""))

    def failed(self, error: HistoryError) -> None:
        """Note that the history did not take a record."""
        if self.error is None:
            log.warning("history.unavailable", reason=error.title, hint=error.hint)
        self.error = error

    def succeeded(self) -> None:
        """Note that the history took a record."""
        if self.error is not None:
            log.info("history.recovered")
        self.error = None
        self._succeeded_at = time.monotonic()

    def require_none(self) -> None:
        """Check that no record waits. Raises Problem (503): new work has to wait, too."""
        if self.waiting or self._slow:
            raise Problem(503, self._state, hint=self._hint, retry_after=5)

    def check(self) -> Check:
        """Return the row of Health about recording."""
        ok = not (self.waiting or self.error or self._slow)
        return Check(
            name="recording",
            ok=ok,
            detail=Untrusted("every event is on disk" if ok else self._state),
            hint="" if ok else self._hint,
        )

    @property
    def _slow(self) -> bool:
        oldest = min(self._started.values(), default=None)
        return oldest is not None and time.monotonic() - oldest > SLOW_SECONDS

    @property
    def _state(self) -> str:
        why = self.error.title if self.error else "the disk does not answer"
        waits = (
            f"; {self.waiting} records wait for it, and new submissions are refused" if self.waiting else ""
        )
        return f"the history takes no records: {why}{waits}"

    @property
    def _hint(self) -> str:
        return (self.error.hint if self.error else "") or "Look at: df -h, dmesg | tail"

    async def _again(self, record: Callable[[], Awaitable[T]]) -> T:
        began, pause, tries = time.monotonic(), FIRST_SECONDS, 0
        while True:
            try:
                return await self._timed(record)
            except InvalidEventError:
                raise
            except HistoryError as error:
                self.failed(error)
                tries += 1
                if tries >= HOPELESS_TRIES and self._succeeded_at > began:
                    raise
            await asyncio.sleep(pause)
            pause = min(MOST_SECONDS, pause * 2)

    async def _timed(self, record: Callable[[], Awaitable[T]]) -> T:
        self._next += 1
        number = self._next
        self._started[number] = time.monotonic()
        try:
            return await record()
        finally:
            del self._started[number]
