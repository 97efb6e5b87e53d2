"""The submissions that are not over: waiting, queued or running."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.common.errors import Problem
from engine.core.runs.run_stream import ReadBack, RunStream
from engine.models import Case, Status


@dataclass
class ActiveSubmission:
    """One such submission: its case as it stands, what its run says, and the task that moves it on."""

    case: Case
    stream: RunStream
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[None] | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        """The submission's id, which is its run's too."""
        return self.case.submission.id

    def cancel(self) -> None:
        """Cancel the task that moves it on, unless that is who asks."""
        task, self.task = self.task, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()


class ActiveSubmissions:
    """All of them, by id."""

    def __init__(self) -> None:
        self._by_id: dict[str, ActiveSubmission] = {}

    def __iter__(self) -> Iterator[ActiveSubmission]:
        return iter(tuple(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def pending(self) -> int:
        """How many wait for a decision."""
        return sum(entry.case.status is Status.PENDING for entry in self)

    def add(self, case: Case, read_back: ReadBack) -> ActiveSubmission:
        """Open a case."""
        entry = ActiveSubmission(case, RunStream(read_back))
        self._by_id[entry.id] = entry
        return entry

    def find(self, id: str) -> ActiveSubmission | None:
        """Return the open submission of that id, if it is open."""
        return self._by_id.get(id)

    def get(self, id: str) -> ActiveSubmission:
        """Return the open submission of that id.

        Raises:
            Problem: it is over, or never was.
        """
        if id not in self._by_id:
            raise Problem(409, f"{id} is over, or never was", hint=f"Type: pratique show {id}")
        return self._by_id[id]

    def running(self, id: str) -> ActiveSubmission:
        """Return the open submission of that id, which runs.

        Raises:
            Problem: it does not run.
        """
        entry = self.get(id)
        if entry.case.status is not Status.RUNNING:
            raise Problem(409, f"{id} is not running: it is {entry.case.status}")
        return entry

    def close(self, entry: ActiveSubmission) -> None:
        """Forget a submission that is over, and end the readers of its run."""
        self._by_id.pop(entry.id, None)
        entry.stream.close()
        entry.over.set()
