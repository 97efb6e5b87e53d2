"""Incidents: opened, filled, listed and sealed. They are stored as events of the history."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.core.response.blocks import require_responder
from engine.history.errors import HistoryError
from engine.history.search.incident_timeline import incident_timeline
from engine.models import Principal
from engine.models.incident import (
    LONGEST,
    MOST_ENTRIES,
    EntryKind,
    Incident,
    IncidentEntry,
    NewEntry,
    SealProgress,
)

SUBJECT = "incidents"
MOST_FOUND = 1000
"""So many submissions at most are added by one search: the newest."""


class Incidents:
    """Working sets of responders. The events of each have its ID as their subject."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._sealing: dict[str, SealProgress] = {}

    async def listed(self) -> tuple[Incident, ...]:
        """Return all, the newest first."""
        opened = [event async for event in self._events.recorded(SUBJECT)]
        return tuple([await self.incident(event.data["incident"]) for event in reversed(opened)])

    async def incident(self, id: str) -> Incident:
        """Return an incident. Raises Problem (404) where there is none of that id."""
        events = [event async for event in self._events.recorded(id)] if id.startswith("i-") else []
        if not events or events[0].type != "incident.opened":
            raise Problem(404, f"there is no incident {visible(id)}", hint="Type: pratique incident list")
        first = events[0]
        entries = tuple(
            IncidentEntry(kind=event.data["kind"], value=event.data["value"], by=event.actor, at=event.at)
            for event in events
            if event.type == "incident.added"
        )
        return Incident(id=id, name=first.data["name"], by=first.actor, at=first.at, entries=entries)

    async def open(self, name: Untrusted, by: Principal) -> Incident:
        """Open an incident.

        Raises:
            Problem: the principal may not, or the name is empty or too long.
        """
        require_responder(by)
        if not 0 < len(name.text.strip()) <= 200:
            raise Problem(422, "an incident has a name of 1 to 200 characters")
        id = f"i-{secrets.token_hex(4)}"
        data = {"incident": id, "name": name.text}
        await self._events.record("incident.opened", id, by.name, data=data)
        await self._events.record("incident.opened", SUBJECT, by.name, data=data)
        return await self.incident(id)

    async def add(self, id: str, entry: NewEntry, by: Principal) -> Incident:
        """Add a submission, a note, or a query with all that it finds now.

        Raises:
            Problem: the principal may not, there is no such incident or submission, or it is too much.
        """
        require_responder(by)
        incident = await self.incident(id)
        found = await self._found(entry)
        known = frozenset(incident.submissions)
        new = [one for one in found if one not in known]
        if len(incident.entries) + len(new) + 1 > MOST_ENTRIES or len(entry.value.text) > LONGEST:
            raise Problem(422, f"an incident has {MOST_ENTRIES} entries at most, a note {LONGEST} characters")
        kind, text = entry.kind, entry.value.text
        added: list[tuple[EntryKind, str]] = [] if kind is EntryKind.SUBMISSION else [(kind, text)]
        added += [(EntryKind.SUBMISSION, submission) for submission in new]
        for number, (what, value) in enumerate(added, 1):  # those before the last are on disk with it
            await self._record(id, what, value, by, durable=number == len(added))
        return await self.incident(id)

    def sealing(self, id: str) -> SealProgress:
        """Return how far the sealing of an incident is; nothing of nothing where none goes on."""
        return self._sealing.get(id, SealProgress())

    async def sealed(self, id: str, by: Principal) -> bytes:
        """Return an incident as one file that proves it: its events, a timeline, the case files. Recorded.

        What has no case file, because it is not over or was erased, is named in the event, with the reason.

        Raises:
            Problem: the principal may not, or there is no such incident.
        """
        require_responder(by)
        incident = await self.incident(id)
        try:
            return await self._seal(incident, by)
        finally:
            self._sealing.pop(id, None)

    async def _seal(self, incident: Incident, by: Principal) -> bytes:
        id = incident.id
        members, missing = await self._case_files(incident)
        members["timeline.txt"] = await self._timeline(incident)
        own = [event async for event in self._events.recorded(id)]
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
        data = {"incident": id, "events": len(own) + 1, "members": digests, "missing": missing}
        await self._events.record("incident.sealed", id, by.name, data=data)
        return await self._events.log.sealed_file(id, members)

    async def _case_files(self, incident: Incident) -> tuple[dict[str, bytes], dict[str, str]]:
        """Return the case files, and why there is none of the other submissions."""
        members: dict[str, bytes] = {}
        missing: dict[str, str] = {}
        submissions = incident.submissions
        for done, submission in enumerate(submissions):
            self._sealing[incident.id] = SealProgress(done=done, total=len(submissions))
            try:
                members[f"cases/{submission}.zip"] = await self._events.log.case_file(submission)
            except HistoryError as error:
                missing[submission] = error.title
        return members, missing

    async def _found(self, entry: NewEntry) -> tuple[str, ...]:
        read = self._events.log.read
        if entry.kind is EntryKind.QUERY:
            return tuple(one.id for one in await read.summaries(entry.value.text, limit=MOST_FOUND))
        if entry.kind is EntryKind.NOTE:
            return ()
        if await read.case(entry.value.text) is None:
            raise Problem(404, f"no submission {visible(entry.value)}", hint="Type: pratique history")
        return (entry.value.text,)

    async def _timeline(self, incident: Incident) -> bytes:
        events = [event async for event in self._events.recorded(incident.id)]
        for submission in incident.submissions:
            events += [event async for event in self._events.recorded(submission)]
        return incident_timeline(events).encode()

    async def _record(self, id: str, kind: EntryKind, value: str, by: Principal, *, durable: bool) -> None:
        data: dict[str, Any] = {"incident": id, "kind": kind.value, "value": value}
        await self._events.record("incident.added", id, by.name, data=data, durable=durable)
