"""Shared queries: kept as events, so that every responder has the same ones."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.core.response.blocks import require_responder
from engine.history.search.query.parser import parse
from engine.models import Event, Principal
from engine.models.shared_query import NewSharedQuery, SharedQuery

SUBJECT = "queries"
MOST = 200


class SharedQueries:
    """The shared queries, rebuilt from the history."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._by_name: dict[str, SharedQuery] = {}

    async def start(self) -> None:
        """Read from the history which there are."""
        async for event in self._events.recorded(SUBJECT):
            self.replay(event)

    def listed(self) -> tuple[SharedQuery, ...]:
        """Return all of them by name."""
        return tuple(self._by_name[name] for name in sorted(self._by_name))

    async def share(self, new: NewSharedQuery, by: Principal) -> SharedQuery:
        """Share a query; one of the same name is replaced.

        Raises:
            Problem: the principal may not, or there are too many.
            QueryError: it is not a valid query.
        """
        require_responder(by)
        parse(new.query, datetime.now(UTC))
        if new.name not in self._by_name and len(self._by_name) >= MOST:
            raise Problem(409, f"there are {MOST} shared queries", hint="Type: pratique queries remove NAME")
        data = {"name": new.name, "query": new.query}
        event = await self._events.record("query.shared", SUBJECT, by.name, data=data)
        self.replay(event)
        return self._by_name[new.name]

    async def remove(self, name: str, by: Principal) -> None:
        """Share a query no longer.

        Raises:
            Problem: the principal may not, or there is none of that name.
        """
        require_responder(by)
        if name not in self._by_name:
            raise Problem(
                404, f"there is no shared query {visible(name)}", hint="Type: pratique queries list"
            )
        event = await self._events.record("query.removed", SUBJECT, by.name, data={"name": name})
        self.replay(event)

    def replay(self, event: Event) -> None:
        """Take a record into account, of this engine or another one."""
        name = str(event.data["name"])
        if event.type == "query.shared":
            query = Untrusted(str(event.data["query"]))
            self._by_name[name] = SharedQuery(name=name, query=query, by=event.actor, at=event.at)
        else:
            self._by_name.pop(name, None)
