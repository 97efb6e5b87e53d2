"""Legal holds: nothing that their queries find is erased. They are stored as events of the history."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.history.search.query.parser import parse
from engine.models import Event, Principal, Role
from engine.models.erasing.erasure import LONGEST_REASON, MOST_HOLDS, Hold, NewHold

SUBJECT = "holds"
PAGE = 1000
LONGEST_ID = "s-" + 32 * "0"


class Holds:
    """The holds, as the history has them whenever they are asked for: other engines place some, too."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._by_id: dict[str, Hold] = {}
        self._seen = 0
        self.turn = asyncio.Lock()
        """Held while something is erased: a hold that was placed is respected from then on."""

    async def listed(self) -> tuple[Hold, ...]:
        """Return those in force, the newest first."""
        while events := await self._events.log.read.events(self._seen, SUBJECT):
            for event in events:
                self._replay(event)
        return tuple(reversed(self._by_id.values()))

    async def place(self, new: NewHold, by: Principal) -> Hold:
        """Place a hold on whatever a query finds, now and later.

        Raises:
            Problem: the principal is no administrator, or there are too many holds.
            QueryError: the query is not valid.
        """
        require_admin(by)
        parse(_within(LONGEST_ID, new.query), datetime.now(UTC))
        if not 0 < len(new.reason.text.strip()) <= LONGEST_REASON:
            raise Problem(422, f"a reason has 1 to {LONGEST_REASON} characters")
        if len(await self.listed()) >= MOST_HOLDS:
            raise Problem(409, f"there are {MOST_HOLDS} holds", hint="Type: pratique hold list")
        id = f"h-{secrets.token_hex(4)}"
        data = {"hold": id, "query": new.query, "reason": new.reason.text}
        async with self.turn:
            event = await self._events.record("hold.placed", SUBJECT, by.name, data=data)
        return _hold(event)

    async def release(self, id: str, by: Principal) -> None:
        """Release a hold.

        Raises:
            Problem: the principal is no administrator, or there is none of that id.
        """
        require_admin(by)
        if not any(hold.id == id for hold in await self.listed()):
            raise Problem(404, f"there is no hold {visible(id)}", hint="Type: pratique hold list")
        await self._events.record("hold.released", SUBJECT, by.name, data={"hold": id})

    async def keeps(self, id: str) -> bool:
        """Return whether a hold keeps a submission."""
        read = self._events.log.read
        for hold in await self.listed():
            if await read.summaries(_within(id, hold.query.text), limit=1):
                return True
        return False

    async def kept(self) -> frozenset[str]:
        """Return every submission that a hold keeps."""
        found: set[str] = set()
        for hold in await self.listed():
            page = await self._events.log.read.summaries(hold.query.text, limit=PAGE)
            while page:
                found.update(one.id for one in page)
                page = await self._events.log.read.summaries(hold.query.text, page[-1].id, PAGE)
        return frozenset(found)

    def _replay(self, event: Event) -> None:
        if event.seq <= self._seen:  # two that ask at once read the same records
            return
        self._seen = event.seq
        if event.type == "hold.placed":
            hold = _hold(event)
            self._by_id[hold.id] = hold
        else:
            self._by_id.pop(str(event.data["hold"]), None)


def _within(id: str, query: str) -> str:
    """Return the query that finds a submission where another query does."""
    return f'id:"{id}" ({query})'


def _hold(event: Event) -> Hold:
    """Return the hold that an event placed."""
    query, reason = (Untrusted(str(event.data[name])) for name in ("query", "reason"))
    return Hold(id=str(event.data["hold"]), query=query, reason=reason, by=event.actor, at=event.at)


def require_admin(by: Principal) -> None:
    """Check that a principal is an administrator. Raises Problem (403)."""
    if Role.ADMIN not in by.roles:
        raise Problem(403, f"{visible(by.name)} is not an administrator")
