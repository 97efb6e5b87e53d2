"""The file of everything about a person: what they submitted and what they did, for a request of theirs."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.erasing.holds import require_admin
from engine.core.erasing.service import quoted
from engine.core.history.event_bus import EventBus
from engine.models import Case, Principal

MOST_BYTES = 1 << 29
PAGE = 200
README = """Everything that Pratique stores about {name}, at {at}

submissions/ID/case.json     what they submitted, with its analysis, decision and result
submissions/ID/code          the code; files/N the input files in the order of case.json
submissions/ID/output        what the run printed; artifacts/N the files that it left
submissions/ID/events.jsonl  what happened to it
events.jsonl                 what they did: decisions, notes, searches, and everything else under their name
"""


class PersonFiles:
    """Makes the file of a person. That it was made is recorded."""

    def __init__(self, events: EventBus) -> None:
        self._events = events

    async def made(self, name: str, by: Principal) -> bytes:
        """Return a ZIP of everything about a person.

        Raises:
            Problem: the principal is no administrator, nothing is stored about the person, or too much.
        """
        require_admin(by)
        file, size, members = io.BytesIO(), 0, 0
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            async for member, content in self._members(name):
                size, members = size + len(content), members + bool(content)
                _require_room(size)
                await asyncio.to_thread(archive.writestr, member, content)
            archive.writestr(
                "README.txt", README.format(name=json.dumps(name), at=datetime.now(UTC).isoformat())
            )
        if not members:
            raise Problem(404, "nothing is stored about this name", hint="Type: pratique history")
        data = {"format": "person", "filter": f"requester:{quoted(name)}"}
        await self._events.record("history.exported", "", by.name, data=data)
        return file.getvalue()

    async def _members(self, name: str) -> AsyncGenerator[tuple[str, bytes], None]:
        read = self._events.log.read
        page = await read.summaries("", limit=PAGE, requester=name)
        while page:
            for one in page:
                async for member in self._of_case(one.id):
                    yield member
            page = await read.summaries("", page[-1].id, PAGE, requester=name)
        yield "events.jsonl", await self._acts(name)

    async def _of_case(self, id: str) -> AsyncIterator[tuple[str, bytes]]:
        case, folder, read = await self._events.log.read.case(id), f"submissions/{id}", self._events.log.read
        if case is None:
            return
        yield f"{folder}/case.json", _without_contents(case)
        yield f"{folder}/code", case.submission.draft.code.text.encode()
        for number, file in enumerate(case.submission.draft.files, 1):
            yield f"{folder}/files/{number}", file.content
        events = [event async for event in self._events.recorded(id)]
        yield f"{folder}/events.jsonl", b"".join(event.model_dump_json().encode() + b"\n" for event in events)
        chunks, offset = [], 0
        while page := await read.output(id, offset):
            chunks += [chunk.data for chunk in page]
            offset = page[-1].offset + len(page[-1].data)
        yield f"{folder}/output", b"".join(chunks)
        gone = {one.digest for one in await read.erasures(id)}
        left = dict.fromkeys(str(e.data["digest"]) for e in events if e.type == "run.artifact")
        for number, digest in enumerate((one for one in left if one not in gone), 1):
            yield f"{folder}/artifacts/{number}", await read.artifact(id, digest)

    async def _acts(self, name: str) -> bytes:
        lines, since = bytearray(), 0
        while events := await self._events.log.read.acts_of(name, since):
            for event in events:
                lines += event.model_dump_json().encode() + b"\n"
            _require_room(len(lines))
            since = events[-1].seq
        return bytes(lines)


def _require_room(size: int) -> None:
    """Check that so many bytes fit into one file. Raises Problem (413)."""
    if size > MOST_BYTES:
        raise Problem(413, "this is too much for one file", hint="Type: pratique audit export")


def _without_contents(case: Case) -> bytes:
    submission = case.submission
    draft = submission.draft.with_contents(Untrusted(""), ())
    return case.with_submission(submission.with_draft(draft)).model_dump_json(indent=2).encode()
