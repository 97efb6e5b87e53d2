"""Notes and tags of responders on submissions: events of the history, and searched for."""

from __future__ import annotations

import re

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.core.history.queries import Queries
from engine.core.response.blocks import require_responder
from engine.models import Principal
from engine.models.incident import LONGEST, TAG


class Annotations:
    """Adds notes, and adds and removes tags."""

    def __init__(self, events: EventBus, queries: Queries) -> None:
        self._events = events
        self._queries = queries

    async def note(self, id: str, text: Untrusted, by: Principal) -> None:
        """Add a note to a submission.

        Raises:
            Problem: the principal may not, there is no such submission, or the note is empty or too long.
        """
        if not text.text.strip() or len(text.text) > LONGEST:
            raise Problem(422, f"a note has 1 to {LONGEST} characters")
        await self._record("note.added", id, {"text": text.text}, by)

    async def tag(self, id: str, tag: str, by: Principal) -> None:
        """Tag a submission. Raises Problem as `note` does."""
        if not re.fullmatch(TAG, tag):
            raise Problem(422, f"{visible(tag)[:60]}: a tag has 1 to 40 of a-z 0-9 . _ -")
        await self._record("tag.added", id, {"tag": tag}, by)

    async def untag(self, id: str, tag: str, by: Principal) -> None:
        """Remove a tag from a submission.

        Raises:
            Problem: the principal may not, or the submission has no such tag.
        """
        tags = [event for event in await self._queries.trail(id) if event.data.get("tag") == tag]
        if not tags or tags[-1].type != "tag.added":
            raise Problem(404, f"{visible(id)} has no tag {visible(tag)[:60]}")
        await self._record("tag.removed", id, {"tag": tag}, by)

    async def _record(self, type: str, id: str, data: dict[str, str], by: Principal) -> None:
        require_responder(by)
        await self._queries.case(id)
        await self._events.record(type, id, by.name, data=data)
