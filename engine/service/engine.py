"""The engine: desk, runs and history over one audit log, one analyst and one set of sandboxes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from engine import locations
from engine.analyst import Analyst
from engine.audit import AuditError, AuditLog, summary_of
from engine.audit.witnesses import Witnesses
from engine.images import reference
from engine.models import (
    Analysis,
    Case,
    Check,
    Consequence,
    Event,
    Grant,
    Health,
    Language,
    Meters,
    OutputChunk,
    Status,
    Summary,
    Verification,
)
from engine.policy.consequences import consequences
from engine.principals import KeyRing
from engine.problem import Problem
from engine.sandbox import Backend
from engine.sandbox.pool import Stock
from engine.service.archive import Archive
from engine.service.arrivals import Arrivals
from engine.service.artifacts import Artifacts
from engine.service.claims import Claims
from engine.service.decisions import Decisions
from engine.service.desk import Desk
from engine.service.gate import Gate
from engine.service.holders import Holders
from engine.service.house import house_checks
from engine.service.journal import Journal
from engine.service.keeper import PolicyKeeper
from engine.service.opened import OpenSubmissions
from engine.service.register import Register
from engine.service.rulings import Rulings
from engine.service.runs import Runs
from engine.service.sandboxes import Sandboxes
from engine.service.secrets import Secrets
from engine.service.standings import Standings
from engine.service.tokens import Tokens
from engine.settings import SandboxSettings, Settings
from engine.text import Untrusted

PAGE_BYTES = 4 << 20
"""How much output of a run that is over is read back at once."""
DISK_SECONDS = 1.0
"""How long a disk that takes nothing is left alone before what is to be recorded is tried again."""
PROVING_SECONDS = 20.0
"""How long an approval waits for an engine that has just started to try its first sandbox."""


class Engine:
    """Takes submissions, waits for decisions, runs what was approved, and records every step before the next.

    `desk` takes submissions and decisions, `runs` stops and freezes; the engine's own methods only look.
    """

    def __init__(self, settings: Settings, log: AuditLog, analyst: Analyst, sandboxes: Backend) -> None:
        self.settings = settings
        self._log = log
        self._analyst = analyst
        self._sandboxes = sandboxes
        sandboxes.keeper = sandboxes.keeper or log
        self.artifacts = Artifacts(log, sandboxes)
        self._opened = OpenSubmissions()
        self._tasks = asyncio.TaskGroup()
        self._journal = Journal(log)
        self.archive = Archive(log, self._journal)
        self._witnesses = Witnesses(settings.audit)
        self.policy = PolicyKeeper(settings.policy, locations.policy_file(), self._journal)
        keys = KeyRing(locations.keys())
        decisions = Decisions(settings, self.policy, sandboxes, keys, self._isolated)
        register = Register(settings.sandbox)
        self.runs = Runs(
            settings.sandbox,
            self._journal,
            sandboxes,
            self._opened,
            self._tasks,
            decisions.changed,
            register,
        )
        self.standings = Standings(self._journal)
        self.tokens = Tokens(locations.tokens(), self._journal)
        self.secrets = Secrets(locations.secrets(), self._journal)
        self.claims = Claims(self._journal, self._opened, settings.policy.claim_seconds)
        rulings = Rulings(
            self._journal,
            self._opened,
            self._tasks,
            decisions,
            self.runs.start,
            two_reviewers=settings.policy.two_reviewers,
        )
        self.desk = Desk(
            self._journal,
            analyst,
            self._opened,
            self.policy,
            decisions,
            self.standings,
            rulings,
            Gate(settings, self._journal, self._opened, register),
        )
        self.sandboxes = Sandboxes(register, self._journal, self.desk, self.runs, sandboxes.sessions)
        self.arrivals = Arrivals(self.desk, self.runs, self._journal, self.case)
        self.holders = Holders(
            self._opened, self._tasks, settings.doors.withdraw_seconds, self._withdraw_for_its_requester
        )

    async def __aenter__(self) -> Self:
        """Close or continue what an earlier engine left open, and start the sandboxes in the background."""
        await self._tasks.__aenter__()
        await self._journal.record("engine.started")
        await self.policy.start()
        await self.standings.start()
        for case in await self._log.open_cases():
            await self._recover(case)
        self._tasks.create_task(self._analyst.start())
        self._starting = self._tasks.create_task(self._start_sandboxes())
        self._keeping = self._tasks.create_task(self.policy.keep())
        self._tidying = self._tasks.create_task(self.sandboxes.keep())
        self._retaining = self._tasks.create_task(self.archive.keep())
        self._witnessed = self._tasks.create_task(
            self._witnesses.keep(self._log.latest_checkpoint, self._journal.witness)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every wait and every run; nothing outlives the engine."""
        self.holders.close()
        self._starting.cancel()
        self._keeping.cancel()
        self._tidying.cancel()
        self._retaining.cancel()
        self._witnessed.cancel()
        for entry in self._opened:
            entry.cancel()
        await self._tasks.__aexit__(None, None, None)
        await self._journal.record("engine.stopped")

    @property
    def busy(self) -> bool:
        """Whether anything waits or runs."""
        return bool(self._opened)

    @property
    def waiting(self) -> int:
        """How many submissions wait for a decision."""
        return self._opened.waiting

    @property
    def going(self) -> int:
        """How many are approved and not over."""
        return len(self._opened) - self._opened.waiting

    @property
    def stocks(self) -> tuple[Stock, ...]:
        """How many sandboxes wait ready for each image, and how many should."""
        return self._sandboxes.stocks

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Tell a listener each event once it is recorded."""
        self._journal.listen(listener)

    async def analyse(self, code: str, language: Language) -> Analysis:
        """Analyse code that nobody submits."""
        return await self._analyst.analyse(code, language)

    async def queue(self) -> tuple[Summary, ...]:
        """Return what waits, is queued or runs, the most urgent first."""
        return tuple(sorted((summary_of(entry.case) for entry in self._opened), key=_urgency))

    async def case(self, id: str) -> Case:
        """Return everything known about a submission.

        Raises:
            Problem: there is none of that id.
        """
        entry = self._opened.find(id)
        case = entry.case if entry else await self._log.case(id)
        if case is None:
            raise Problem(404, f"no submission {id}", mend="Type: pratique history")
        return case

    async def consequences(self, id: str, grant: Grant) -> tuple[Consequence, ...]:
        """Return what comes of giving a submission less than it asks for.

        Raises:
            Problem: there is none of that id.
        """
        case = await self.case(id)
        return consequences(case.analysis, case.submission.draft.capabilities, grant.capabilities)

    async def over(self, id: str, within: float | None = None) -> Case:
        """Return the case of a submission once it is decided against, or its run has ended.

        After `within` seconds it comes as it stands then.
        """
        entry = self._opened.find(id)
        if entry:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await entry.over.wait()
            return entry.case
        return await self.case(id)

    async def history(
        self, filter: str = "", before: str | None = None, limit: int = 200
    ) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first, those before `before`."""
        return await self._log.summaries(filter, before, limit)

    async def trail(self, id: str) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first."""
        return await self._log.events(subject=id)

    def events(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield events as they happen, those after `since` first."""
        return self._journal.follow(since)

    async def output(self, id: str, offset: int = 0) -> AsyncGenerator[OutputChunk, None]:
        """Yield a run's output from `offset` bytes on: live, or all of it where the run is over."""
        entry = self._opened.find(id)
        if entry:
            async with contextlib.aclosing(entry.feed.output(offset)) as live:
                async for chunk in live:
                    yield chunk
            return
        await self.case(id)
        while chunks := await self._log.read_output(id, offset, PAGE_BYTES):
            for chunk in chunks:
                offset = chunk.offset + len(chunk.data)
                yield chunk

    async def meters(self, id: str) -> AsyncGenerator[Meters, None]:
        """Yield what a run uses: live, or all that was kept where the run is over."""
        entry = self._opened.find(id)
        if entry:
            async with contextlib.aclosing(entry.feed.meters()) as live:
                async for sample in live:
                    yield sample
            return
        await self.case(id)
        for sample in await self._log.read_meters(id):
            yield sample

    async def verify(self) -> Verification:
        """Read the whole audit log, say whether it is intact, and record that it was read."""
        verification = await self._log.verify()
        await self._journal.record("verified", data=verification.model_dump(mode="json"))
        return verification

    async def health(self, settled_within: float = 0) -> Health:
        """Return how the house stands, after giving sandboxes that start `settled_within` seconds."""
        if settled_within:
            await asyncio.wait({self._starting}, timeout=settled_within)
        going = len(self._opened) - self._opened.waiting
        detail = Untrusted(f"{self._opened.waiting} waiting, {going} running or queued")
        queue = Check(name="queue", ok=True, detail=detail)
        house = await asyncio.to_thread(house_checks, self.settings.doors)
        checks = (
            *await self._sandboxes.checks(),
            self.policy.check(),
            queue,
            *house,
            *self._witnesses.checks(),
        )
        return Health(checks=checks, proof=self._sandboxes.proof)

    async def _withdraw_for_its_requester(self, case: Case) -> None:
        await self.desk.withdraw(case.submission.id, case.submission.requester)

    async def _isolated(self) -> bool:
        await asyncio.wait({self._starting}, timeout=PROVING_SECONDS)
        proof = self._sandboxes.proof
        return proof is not None and proof.isolated

    async def _recover(self, case: Case) -> None:
        entry = self._opened.add(case, lambda offset: self._log.read_output(case.submission.id, offset))
        if case.status is Status.WAITING:
            self.desk.wait_again(case, entry)
        else:
            await self.runs.interrupted(entry)

    async def _start_sandboxes(self) -> None:
        await self._sandboxes.start()
        proof = self._sandboxes.proof
        await self._record_proof(proof.model_dump(mode="json") if proof else {})
        if proof is not None and proof.isolated:
            await self._sandboxes.warm(stocked(self.settings.sandbox))

    async def _record_proof(self, data: dict[str, Any]) -> None:
        """Record what the first sandbox said: at once, or as soon as the disk takes it again."""
        while True:
            try:
                await self._journal.record("sandbox.proved", data=data)
            except AuditError:
                await asyncio.sleep(DISK_SECONDS)
            else:
                return


def stocked(settings: SandboxSettings) -> list[tuple[Language, str]]:
    """Return the images of which sandboxes wait ready: each language's, and that of Python with data."""
    images = [(Language(language), reference(name)) for language, name in settings.images.items()]
    return [*images, (Language.PYTHON, reference(settings.data_image))]


def _urgency(summary: Summary) -> tuple[bool, datetime]:
    return summary.status is not Status.WAITING, summary.deadline or datetime.max.replace(tzinfo=UTC)
