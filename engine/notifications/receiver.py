"""Tells one receiver what it is to know: again until it is taken, and without holding up anybody."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from engine.common.text import Untrusted
from engine.models import Check, Event
from engine.notifications.notice import Notice, about_alert, about_pending, about_surprise, severity_of
from engine.notifications.progress import Progress, read_progress, write_progress
from engine.notifications.selection import due, told_of
from engine.notifications.senders.delivery import DeliveryError, Sender
from engine.notifications.settings import NoticeKind, ReceiverSettings
from engine.notifications.source import NoticeSource

LOOK_SECONDS = 5.0
"""How often what waits is looked at without a cause: for ages, deadlines, the end of quiet hours."""
SETTLE_SECONDS = 0.05
"""How long changes are gathered before they are looked at."""
FIRST_SECONDS = 0.5
MOST_SECONDS = 60.0
"""The first and the longest pause before another attempt."""
SAME_SECONDS = 600.0
"""The same alert is told again after so long."""
MOST_REFUSALS = 3
"""After so many refusals a notice is given up, so that it does not keep back the next."""
_PENDING = (NoticeKind.EXPIRING, NoticeKind.WAITING)


class ReceiverWorker:
    """Delivers the notices of one receiver."""

    def __init__(self, settings: ReceiverSettings, sender: Sender, source: NoticeSource, path: Path) -> None:
        self._settings = settings
        self._sender = sender
        self._source = source
        self._path = path
        self._progress = Progress()
        self._error = ""
        self._refusals: Counter[str] = Counter()
        self._alerted: dict[str, datetime] = {}
        self._changed = asyncio.Event()
        self._saving = asyncio.Lock()

    async def run(self) -> None:
        """Deliver until cancelled."""
        self._progress = read_progress(self._path)
        self._source.wake(self._changed)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell_pending())
            group.create_task(self._tell_events())

    def check(self) -> Check:
        """Return its row of Health."""
        detail = self._error or f"told {', '.join(kind.value for kind in self._settings.events)}"
        hint = "Look at notifications in the settings (docs/notifications.md)" if self._error else ""
        name = f"notify: {self._settings.name}"
        return Check(name=name, ok=not self._error, detail=Untrusted(detail), hint=hint)

    # --- what waits

    async def _tell_pending(self) -> None:
        while True:
            self._changed.clear()
            await self._forget_decided()
            for id, kind in list(self._due()):
                await self._tell_case(id, kind)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._changed.wait()
            await asyncio.sleep(SETTLE_SECONDS)

    def _due(self) -> Iterator[tuple[str, NoticeKind]]:
        now, told = datetime.now().astimezone(), set(self._progress.told)
        for case in self._source.pending():
            for kind in _PENDING:
                if f"{kind.value}-{case.submission.id}" not in told and due(self._settings, kind, case, now):
                    yield case.submission.id, kind

    async def _tell_case(self, id: str, kind: NoticeKind) -> None:
        """Tell about a submission, for as long as it waits."""
        attempts = 0
        while (case := self._source.waiting(id)) is not None:
            notice = about_pending(kind, case, code=self._settings.code)
            attempts += 1
            if await self._try(notice, attempts):
                await self._keep(told=(*self._progress.told, notice.id))
                return

    async def _forget_decided(self) -> None:
        waiting = {case.submission.id for case in self._source.pending()}
        told = tuple(one for one in self._progress.told if one.partition("-")[2] in waiting)
        if told != self._progress.told:
            await self._keep(told=told)

    # --- what happened

    async def _tell_events(self) -> None:
        since = self._source.latest if self._progress.seq is None else self._progress.seq
        if self._progress.seq is None:
            await self._keep(seq=since)
        async with contextlib.aclosing(self._source.follow(since)) as events:
            async for event in events:
                if notice := self._about(event):
                    await self._insist(notice)
                    await self._keep(seq=event.seq)

    def _about(self, event: Event) -> Notice | None:
        """Return the notice about an event, unless the same alert was told a moment ago."""
        kind = told_of(self._settings, event, datetime.now().astimezone().time())
        if kind is NoticeKind.SURPRISE:
            return about_surprise(event, severity_of(event))
        last = self._alerted.get(event.type)
        if kind is None or (last and (event.at - last).total_seconds() < SAME_SECONDS):
            return None
        self._alerted[event.type] = event.at
        return about_alert(event)

    async def _insist(self, notice: Notice) -> None:
        attempts = 1
        while not await self._try(notice, attempts):
            attempts += 1

    # --- both

    async def _try(self, notice: Notice, attempts: int) -> bool:
        """Return whether a notice is done with: delivered, or refused so often that it is given up."""
        try:
            await self._sender.send(notice)
        except DeliveryError as error:
            self._error = f"{error}, {attempts} times"
            self._refusals[notice.id] += error.refused
            if self._refusals[notice.id] >= MOST_REFUSALS:
                del self._refusals[notice.id]
                await self._record("notification.failed", notice, attempts, str(error))
                return True
            await asyncio.sleep(max(error.retry_after, _pause(attempts)))
            return False
        self._error = ""
        self._refusals.pop(notice.id, None)
        await self._record("notification.delivered", notice, attempts, "")
        return True

    async def _record(self, type: str, notice: Notice, attempts: int, why: str) -> None:
        data = {"receiver": self._settings.name, "notice": notice.id, "attempts": attempts, "why": why}
        await self._source.record(type, data)

    async def _keep(self, **changes: object) -> None:
        async with self._saving:
            self._progress = Progress.model_validate(dict(self._progress) | changes)
            await write_progress(self._path, self._progress)


def _pause(attempts: int) -> float:
    """Return the seconds before the next attempt: twice as long each time, a random half of it."""
    longest = min(MOST_SECONDS, FIRST_SECONDS * 2.0 ** min(attempts - 1, 10))
    return longest * random.uniform(0.5, 1)  # noqa: S311  so that receivers of many engines are not met at once
