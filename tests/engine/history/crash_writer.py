"""A process that writes a history as fast as it can and says what was answered, until it is killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Draft,
    Language,
    Level,
    OutputChunk,
    Principal,
    Status,
    Stream,
    Submission,
)
from engine.settings import HistorySettings

WRITERS = 6


async def main(path: Path, life: str) -> None:
    """Append from several tasks at once, for ever."""
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5))
    async with asyncio.TaskGroup() as tasks:
        for number in range(WRITERS):
            tasks.create_task(write(log, f"{life}-{number}"))


async def write(log: SqliteHistoryStore, name: str) -> None:
    """Submit, print and end, over and over."""
    actor, count = Untrusted("agent"), 0
    while True:
        count += 1
        case = case_of(f"{name}-{count}")
        id = case.submission.id
        event = await log.append("claim.created", id, actor, {}, case=case)
        os.write(1, f"{event.seq} {event.hash} {id}\n".encode())
        await log.append_output(id, [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=name.encode())])
        event = await log.append("claim.released", id, actor, {})
        os.write(1, f"{event.seq} {event.hash} {id}\n".encode())


def case_of(id: str) -> Case:
    """Return a small case."""
    draft = Draft(code=Untrusted(f"print({id!r})"), language=Language.PYTHON)
    requester = Principal(name=Untrusted("agent"))
    from_now = "2026-11-21T06:00:00Z"
    submission = Submission.model_validate(
        {"id": id, "draft": draft, "requester": requester, "submitted_at": from_now, "digest": "ab" * 32}
    )
    assessment = Assessment(risk=Level.LOW, matches=(), deadline_seconds=None)
    return Case(submission=submission, status=Status.RUNNING, analysis=Analysis(), assessment=assessment)


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
