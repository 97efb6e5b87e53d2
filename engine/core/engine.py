"""The engine: desk, runs and history over one audit log, one analyst and one set of sandboxes."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from engine import locations
from engine.analysis_pool import AnalysisPool
from engine.common.text import Untrusted
from engine.core.config.policy_store import PolicyStore
from engine.core.config.secret_store import SecretStore
from engine.core.config.token_store import TokenStore
from engine.core.history.queries import Views
from engine.core.history.service import Archive
from engine.core.host_health import host_checks
from engine.core.review.claims import Claims
from engine.core.review.decision_executor import DecisionExecutor
from engine.core.review.decisions import ReviewDecisions
from engine.core.review.pre_approvals import PreApprovals
from engine.core.runs.artifacts import Artifacts
from engine.core.runs.service import Runs
from engine.core.sessions.registry import SessionRegistry
from engine.core.sessions.service import SessionService
from engine.core.submissions.admission import AdmissionControl
from engine.core.submissions.idempotency import IdempotentSubmissions
from engine.core.submissions.leases import ClientLeases
from engine.core.submissions.service import SubmissionService
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError
from engine.history.witness.witnesses import Witnesses
from engine.images import reference
from engine.models import (
    Analysis,
    Case,
    Check,
    Health,
    Language,
    Status,
)
from engine.principals import KeyRing
from engine.sandbox import Backend
from engine.sandbox.drivers.docker.pool import PoolStatus
from engine.settings import SandboxSettings, Settings

DISK_SECONDS = 1.0
"""How long a disk that takes nothing is left alone before what is to be recorded is tried again."""
PROVING_SECONDS = 20.0
"""How long an approval waits for an engine that has just started to try its first sandbox."""


class Engine(Views):
    """Takes submissions, waits for decisions, runs what was approved, and records every step before the next.

    `submissions` takes submissions and decisions, `runs` stops and freezes; what it shows is in `views`.
    """

    def __init__(
        self, settings: Settings, log: HistoryStore, analyst: AnalysisPool, sandboxes: Backend
    ) -> None:
        super().__init__(log)
        self.settings = settings
        self._analyst = analyst
        self._sandboxes = sandboxes
        sandboxes.keeper = sandboxes.keeper or log
        self.artifacts = Artifacts(log, sandboxes)
        self._tasks = asyncio.TaskGroup()
        self.archive = Archive(log, self._events)
        self._witnesses = Witnesses(settings.history)
        self.policy = PolicyStore(settings.policy, locations.policy_file(), self._events)
        keys = KeyRing(locations.keys())
        decisions = ReviewDecisions(settings, self.policy, sandboxes, keys, self._isolated)
        register = SessionRegistry(settings.sandbox)
        self.runs = Runs(
            settings.sandbox,
            self._events,
            sandboxes,
            self._active,
            self._tasks,
            decisions.changed,
            register,
        )
        self.pre_approvals = PreApprovals(self._events)
        self.tokens = TokenStore(locations.tokens(), self._events)
        self.secrets = SecretStore(locations.secrets(), self._events)
        self.claims = Claims(self._events, self._active, settings.policy.claim_seconds)
        executor = DecisionExecutor(
            self._events,
            self._active,
            self._tasks,
            decisions,
            self.runs.start,
            two_reviewers=settings.policy.two_reviewers,
        )
        self.submissions = SubmissionService(
            self._events,
            analyst,
            self._active,
            self.policy,
            decisions,
            self.pre_approvals,
            executor,
            AdmissionControl(settings, self._events, self._active, register),
        )
        self.sessions = SessionService(
            register, self._events, self.submissions, self.runs, sandboxes.sessions
        )
        self.arrivals = IdempotentSubmissions(self.submissions, self.runs, self._events, self.case)
        self.leases = ClientLeases(
            self._active, self._tasks, settings.server.withdraw_seconds, self._withdraw_for_its_requester
        )

    async def __aenter__(self) -> Self:
        """Close or continue what an earlier engine left open, and start the sandboxes in the background."""
        await self._tasks.__aenter__()
        await self._events.record("engine.started")
        await self.policy.start()
        await self.pre_approvals.start()
        for case in await self._log.read.open_cases():
            await self._recover(case)
        self._tasks.create_task(self._analyst.start())
        self._starting = self._tasks.create_task(self._start_sandboxes())
        self._keeping = self._tasks.create_task(self.policy.keep())
        self._tidying = self._tasks.create_task(self.sessions.keep())
        self._retaining = self._tasks.create_task(self.archive.keep())
        self._witnessed = self._tasks.create_task(
            self._witnesses.keep(self._log.read.latest_checkpoint, self._events.witness)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every wait and every run; nothing outlives the engine."""
        self.leases.close()
        self._starting.cancel()
        self._keeping.cancel()
        self._tidying.cancel()
        self._retaining.cancel()
        self._witnessed.cancel()
        for entry in self._active:
            entry.cancel()
        await self._tasks.__aexit__(None, None, None)
        await self._events.record("engine.stopped")

    @property
    def stocks(self) -> tuple[PoolStatus, ...]:
        """How many sandboxes wait ready for each image, and how many should."""
        return self._sandboxes.stocks

    async def analyse(self, code: str, language: Language) -> Analysis:
        """Analyse code that nobody submits."""
        return await self._analyst.analyse(code, language)

    async def health(self, settled_within: float = 0) -> Health:
        """Return how the house stands, after giving sandboxes that start `settled_within` seconds."""
        if settled_within:
            await asyncio.wait({self._starting}, timeout=settled_within)
        going = len(self._active) - self._active.pending
        detail = Untrusted(f"{self._active.pending} waiting, {going} running or queued")
        queue = Check(name="queue", ok=True, detail=detail)
        house = await asyncio.to_thread(host_checks, self.settings.server)
        checks = (
            *await self._sandboxes.checks(),
            self.policy.check(),
            queue,
            *house,
            *self._witnesses.checks(),
        )
        return Health(checks=checks, proof=self._sandboxes.proof)

    async def _withdraw_for_its_requester(self, case: Case) -> None:
        await self.submissions.withdraw(case.submission.id, case.submission.requester)

    async def _isolated(self) -> bool:
        await asyncio.wait({self._starting}, timeout=PROVING_SECONDS)
        proof = self._sandboxes.proof
        return proof is not None and proof.isolated

    async def _recover(self, case: Case) -> None:
        entry = self._active.add(case, lambda offset: self._log.read.output(case.submission.id, offset))
        if case.status is Status.PENDING:
            self.submissions.wait_again(case, entry)
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
                await self._events.record("sandbox.probed", data=data)
            except HistoryError:
                await asyncio.sleep(DISK_SECONDS)
            else:
                return


def stocked(settings: SandboxSettings) -> list[tuple[Language, str]]:
    """Return the images of which sandboxes wait ready: each language's, and that of Python with data."""
    images = [(Language(language), reference(name)) for language, name in settings.images.items()]
    return [*images, (Language.PYTHON, reference(settings.data_image))]
