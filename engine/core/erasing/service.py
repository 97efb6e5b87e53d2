"""Erasures: on request of an administrator, and by the rules of the settings in the background."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.erasing.holds import Holds, require_admin
from engine.core.history.event_bus import ENGINE, EventBus
from engine.history.errors import HistoryError
from engine.models import OPEN, Event, Principal
from engine.models.erasing.erasure import ErasureOrder, ErasureReport, ErasureRequest, RecordedErasure
from engine.settings import EraseRule, HistorySettings

MOST_ERASED = 1000
"""So many submissions one request erases; the report says how many are left."""
ON_REQUEST = "on request"
LISTED = 100
PAGE = 200
RETAIN_SECONDS = 3600.0
"""How often the rules are applied."""
SHARE = 0.1
"""So much of the time the rules erase, so that the rest is for everything else."""
COMPACT_SECONDS = 86_400.0
"""How often at most the rules write the database anew."""
_OPEN = " OR ".join(f"status:{status.value}" for status in sorted(OPEN))


@dataclass
class _Tally:
    """What was erased so far, and what was not."""

    submissions: int = 0
    categories: Counter[str] = field(default_factory=Counter)
    held: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    more: int = 0

    def report(self, *, dry_run: bool) -> ErasureReport:
        return ErasureReport(
            dry_run=dry_run,
            submissions=self.submissions,
            categories=dict(self.categories),
            held=tuple(self.held[:LISTED]),
            unfinished=tuple(self.unfinished[:LISTED]),
            more=self.more,
        )


class Erasures:
    """Erases texts of submissions that are over, unless a legal hold keeps them. Each is recorded."""

    def __init__(self, events: EventBus, holds: Holds, settings: HistorySettings) -> None:
        self._events = events
        self._holds = holds
        self._settings = settings
        self._compacted = time.monotonic()

    async def erase(self, request: ErasureRequest, by: Principal) -> ErasureReport:
        """Erase what a request names, or say what would be; on return it is in no byte of the database.

        Raises:
            Problem: the principal is no administrator, or there is no such submission.
            QueryError: the query is not valid.
            HistoryError: it could not be recorded; the report of what was erased before is in the history.
        """
        require_admin(by)
        tally = _Tally()
        async with contextlib.aclosing(self._targets(request)) as targets:
            async for id, order in targets:
                if tally.submissions >= MOST_ERASED:
                    tally.more += 1
                else:
                    await self._one(id, order, by.name, tally, dry_run=request.dry_run)
        if tally.submissions and not request.dry_run:
            await self._events.log.compact()
        return tally.report(dry_run=request.dry_run)

    async def listed(self, before: int | None = None, limit: int = LISTED) -> tuple[RecordedErasure, ...]:
        """Return the erasures that were done before an event's number, the newest first."""
        return tuple(map(_recorded, await self._events.log.read.erasure_events(before, limit)))

    async def _one(
        self, id: str, order: ErasureOrder, actor: Untrusted, tally: _Tally, *, dry_run: bool
    ) -> None:
        """Erase one submission, or count what would be erased of it."""
        log = self._events.log
        async with self._holds.turn:
            if await self._holds.keeps(id):
                tally.held.append(id)
                return
            if await log.read.summaries(f"id:{quoted(id)} ({_OPEN})"):
                tally.unfinished.append(id)
                return
            found = await (log.read.erasable(id, order) if dry_run else log.erase(id, actor, order))
        tally.submissions += bool(found)
        tally.categories.update(found.categories)

    async def _targets(self, request: ErasureRequest) -> AsyncGenerator[tuple[str, ErasureOrder], None]:
        """Yield the submissions that a request names, each with what is to be erased of it."""
        read = self._events.log.read
        whole = ErasureOrder(rule=ON_REQUEST, reason=request.reason)
        if request.submission:
            if await read.case(request.submission) is None:
                raise Problem(
                    404, f"no submission {visible(request.submission)}", hint="Type: pratique history"
                )
            yield request.submission, whole
        elif request.query:
            async for id in self._found(request.query):
                yield id, whole
        else:
            name = request.person.text
            own = [id async for id in self._found("", requester=name)]
            for id in own:
                yield id, whole
            words = ErasureOrder(rule=ON_REQUEST, reason=request.reason, author=request.person)
            for id in sorted(set(await read.said_by(name)) - set(own)):
                yield id, words

    async def _found(self, query: str, requester: str | None = None) -> AsyncIterator[str]:
        read = self._events.log.read
        page = await read.summaries(query, limit=PAGE, requester=requester)
        while page:
            for one in page:
                yield one.id
            page = await read.summaries(query, page[-1].id, PAGE, requester=requester)

    async def run(self) -> None:
        """Apply the rules of the settings now and every hour, until it is cancelled."""
        while True:
            with contextlib.suppress(HistoryError):  # the next write gets the error of a full disk
                await self.apply_rules()
            await asyncio.sleep(RETAIN_SECONDS)

    async def apply_rules(self) -> int:
        """Erase what the rules of the settings do not keep; return how many contents and submissions."""
        log = self._events.log
        erased = 0
        if self._settings.retain_days is not None or self._settings.retain_mb is not None:
            async with self._holds.turn:
                erased += await log.apply_retention(await self._holds.kept())
        if self._settings.erase and await log.believes_clock():
            for rule in self._settings.erase:
                erased += await self._by_rule(rule)
        if erased and time.monotonic() - self._compacted >= COMPACT_SECONDS:
            await log.compact()
            self._compacted = time.monotonic()
        return erased

    async def _by_rule(self, rule: EraseRule) -> int:
        order = ErasureOrder(rule=f"{rule.name}: older than {rule.days} days")
        query = f"({rule.query or 'id:*'}) until:{rule.days}d -erased:everything -({_OPEN})"
        tally = _Tally()
        for id in [id async for id in self._found(query)]:
            began = time.monotonic()
            await self._one(id, order, ENGINE, tally, dry_run=False)
            await asyncio.sleep((time.monotonic() - began) * (1 / SHARE - 1))
        return tally.submissions


def _recorded(event: Event) -> RecordedErasure:
    """Return the erasure that an event tells."""
    data = event.data
    return RecordedErasure(
        seq=event.seq,
        at=event.at,
        by=event.actor,
        submission=Untrusted(event.subject),
        rule=Untrusted(str(data["rule"])),
        reason=Untrusted(str(data.get("reason", ""))),
        scope=str(data.get("scope", "")),
        contents=len(data["digests"]),
        records=len(data.get("records", ())),
    )


def quoted(value: str) -> str:
    """Return a value of the query language that stands for itself."""
    return json.dumps(value, ensure_ascii=False)
