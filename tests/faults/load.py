"""Clients that submit, decide and run without pause, and remember everything that was answered to them."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from engine.client.client import Client, Problem
from engine.common.text import Untrusted
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome, Draft, Language, Status
from engine.settings import HistorySettings
from tests.engine_process import EngineProcess

ROOM = {
    "PRATIQUE_POLICY__DEADLINES": '{"medium": 3600, "high": 3600, "critical": 3600}',
    "PRATIQUE_POLICY__SUBMISSIONS_PER_MINUTE": "1000000",
    "PRATIQUE_POLICY__SUBMISSIONS_BURST": "1000000",
    "PRATIQUE_SERVER__REQUESTS_PER_MINUTE": "1000000",
    "PRATIQUE_SERVER__REQUESTS_BURST": "100000",
    "PRATIQUE_SANDBOX__IMAGES": '{"shell": "shell"}',
    "PRATIQUE_SANDBOX__POOL": "1",
}
CODE = "cat /etc/hostname; echo {number}"
DENIED_EVERY = 3
PAUSE_SECONDS = 0.05
RUN_SECONDS = 20.0
ONCE = ("submission.assessed", "decision.made", "decision.expired", "run.started", "run.ended")
"""Events that a submission has once at most."""


@dataclass
class Answered:
    """What clients were told, and so has to be in the history."""

    submitted: set[str] = field(default_factory=set)
    decided: dict[str, DecisionOutcome] = field(default_factory=dict)
    ended: dict[str, int | None] = field(default_factory=dict)
    """Exit codes of runs whose end was answered."""
    failures: int = 0


class Load:
    """Some clients of one engine, which may die and come back under them."""

    def __init__(self, engine: EngineProcess, clients: int, pause: float = PAUSE_SECONDS) -> None:
        self.answered = Answered()
        self._pause = pause
        self._engine = engine
        self._clients = clients
        self._numbers = count(1)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Load:
        self._tasks = [asyncio.create_task(self._work(number)) for number in range(self._clients)]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for task in self._tasks:
            if not task.cancelled() and (error := task.exception()):
                raise error

    async def goes_on(self, *, to_the_end: bool) -> None:
        """Wait until one more decision was answered, or the end of one more run."""
        known = self.answered.ended if to_the_end else self.answered.decided
        before = len(known)
        while len(known) == before:
            await asyncio.sleep(PAUSE_SECONDS)

    async def _work(self, number: int) -> None:
        async with self._engine.client(f"load-{number}") as client:
            while True:
                try:
                    await self._one(client, next(self._numbers))
                except Problem:
                    self.answered.failures += 1
                    await asyncio.sleep(self._pause)

    async def _one(self, client: Client, number: int) -> None:
        """Submit, decide and follow one submission; note each answer when it has come."""
        draft = Draft(code=Untrusted(CODE.format(number=number)), language=Language.SHELL)
        case = await client.submit(draft)
        submission = case.submission
        self.answered.submitted.add(submission.id)
        if case.status is not Status.PENDING:
            return
        outcome = DecisionOutcome.APPROVED if number % DENIED_EVERY else DecisionOutcome.DENIED
        await client.decide(submission.id, outcome, submission.digest, "to load it")
        self.answered.decided[submission.id] = outcome
        if outcome is DecisionOutcome.APPROVED:
            over = await client.case(submission.id, within=RUN_SECONDS)
            if over.result:
                self.answered.ended[submission.id] = over.result.exit_code


async def broken(home: Path, answered: Answered) -> list[str]:
    """Open the history of an engine that has stopped; return what was lost, or is there twice."""
    store = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    try:
        seen = await _events(store)
        lost = [f"lost: {id}" for id in answered.submitted if await store.read.case(id) is None]
        lost += [f"lost: {outcome} of {id}" for id, outcome in answered.decided.items()
                 if not await _has(store, id, outcome)]  # fmt: skip
        lost += [f"lost: the end of {id}" for id in answered.ended if not seen["run.ended", id]]
        twice = [f"{number} times: {type} of {id}" for (type, id), number in seen.items()
                 if type in ONCE and number > 1]  # fmt: skip
        verified = await store.verify()
        return lost + twice + ([] if verified.intact else [f"the history: {verified.problem}"])
    finally:
        await store.close()


async def _has(store: SqliteHistoryStore, id: str, outcome: DecisionOutcome) -> bool:
    case = await store.read.case(id)
    return case is not None and case.decision is not None and case.decision.outcome is outcome


async def _events(store: SqliteHistoryStore) -> Counter[tuple[str, str]]:
    """Count the events by type and subject."""
    seen, since = Counter[tuple[str, str]](), 0
    while page := await store.read.events(since=since):
        seen.update((event.type, event.subject) for event in page)
        since = page[-1].seq
    return seen
