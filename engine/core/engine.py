"""The engine: its services, wired together, and their lifecycle."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import Any, Self

from engine import locations
from engine.analysis_pool import AnalysisPool
from engine.common.supervisor import Supervisor, Work
from engine.common.text import Untrusted
from engine.core.code_names.service import CodeNameService
from engine.core.config.policy_store import PolicyStore
from engine.core.config.secret_store import SecretStore
from engine.core.config.token_store import TokenStore
from engine.core.drills.schedule import DrillSchedule
from engine.core.drills.service import Drills
from engine.core.engines.follower import Listener
from engine.core.engines.movable import Movable
from engine.core.engines.service import SeveralEngines, queue_settings
from engine.core.erasing.holds import Holds
from engine.core.erasing.person_file import PersonFiles
from engine.core.erasing.service import Erasures
from engine.core.health.clock import ClockCheck
from engine.core.health.watch import HealthWatch
from engine.core.history.event_bus import EventBus
from engine.core.history.queries import Queries
from engine.core.history.service import HistoryService
from engine.core.host_health import HostFiles, checked, host_checks
from engine.core.queue import InProcessQueue, WorkQueue
from engine.core.rehearsals.automatic import AutomaticRehearsals
from engine.core.rehearsals.service import Rehearsals
from engine.core.rescans.patience import Patience
from engine.core.rescans.rescanner import Rescanner
from engine.core.rescans.service import Rescans
from engine.core.response import blocks, shared_queries
from engine.core.response import service as responses
from engine.core.response.annotations import Annotations
from engine.core.response.blocks import Blocks
from engine.core.response.incidents import Incidents
from engine.core.response.service import Responses
from engine.core.response.shared_queries import SharedQueries
from engine.core.review import pre_approvals, reviewer_keys
from engine.core.review.assignments import Assignments
from engine.core.review.bulk import BulkReview
from engine.core.review.careless import CarelessApprovals
from engine.core.review.claims import Claims
from engine.core.review.decision_executor import DecisionExecutor
from engine.core.review.decisions import ReviewDecisions
from engine.core.review.equivalence import EquivalentReviews
from engine.core.review.learning import Learning
from engine.core.review.pre_approvals import PreApprovals
from engine.core.review.presence import Presence
from engine.core.review.queue_listing import QueueListing
from engine.core.review.reviewer_keys import ReviewerKeys
from engine.core.review.revisions import Revisions
from engine.core.revocation import Revocations
from engine.core.runs.artifacts import Artifacts
from engine.core.runs.previewed import PreviewedRuns
from engine.core.runs.service import Runs
from engine.core.sandbox_startup import SandboxStartup
from engine.core.sessions.registry import SessionRegistry
from engine.core.sessions.service import SessionService
from engine.core.storage import Storage
from engine.core.submissions.admission import AdmissionControl
from engine.core.submissions.command_checks import CommandChecks
from engine.core.submissions.idempotency import IdempotentSubmissions
from engine.core.submissions.idempotency_keys import KEYED
from engine.core.submissions.revival import Revivals
from engine.core.submissions.service import SubmissionService
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError
from engine.history.witness.witnesses import Witnesses
from engine.models import Analysis, Check, Event, Health, Language, Principal, ReviewerKey, Status
from engine.models.response import BlockKind
from engine.principals import KeyRing
from engine.sandbox import Backend, PoolStatus
from engine.settings import Settings

LAST_RECORDS_SECONDS = 2.0
"""How long an engine that stops waits for what is still to be recorded."""


class Engine:
    """Takes submissions, waits for decisions, runs what was approved, and records every step before the next.

    Clients use its services: `intake` and `submissions`, `claims` and `pre_approvals`, `runs` and `sessions`,
    `queries` and `history`, `revocations`.
    """

    def __init__(
        self,
        settings: Settings,
        log: HistoryStore,
        analysis: AnalysisPool,
        backend: Backend,
        queue: WorkQueue | None = None,
    ) -> None:
        self.settings = settings
        self._log = log
        self.work_queue = queue or InProcessQueue(queue_settings(settings.server, log.engines))
        self._analysis = analysis
        self._backend = backend
        self._more_checks: list[Callable[[], Iterable[Check]]] = []
        self.supervisor = Supervisor()
        self._files = HostFiles()
        self._storage = Storage(self._files.state, locations.database())
        self._events = EventBus(log, self.work_queue, self.supervisor, self._storage)
        backend.keeper = backend.keeper or self._events
        self._add_history()
        self._add_configuration()
        self._add_runs()
        self._add_submissions()
        self.several = self._one_of_several()

    def _one_of_several(self) -> SeveralEngines | None:
        """Return what this engine does because it is one of several; None where it is the only one."""
        if self._log.engines is None:
            return None
        listeners: dict[str, Listener] = {
            blocks.SUBJECT: self.revocations.on_block_elsewhere,
            responses.SUBJECT: self.responses.replay,
            shared_queries.SUBJECT: self.shared_queries.replay,
            reviewer_keys.SUBJECT: self._keys.replay,
            pre_approvals.SUBJECT: self.pre_approvals.replay,
            **dict.fromkeys(("principal.added", "principal.removed"), self.revocations.on_token_elsewhere),
            **dict.fromkeys(("secret.set", "secret.removed"), self._on_secret_elsewhere),
            **dict.fromkeys(KEYED, self.intake.keys.replay),
        }
        return SeveralEngines(
            self._log.engines,
            self._events,
            self.work_queue,
            self.runs,
            self.submissions,
            Movable(self._decisions, self._backend),
            self.supervisor,
            listeners,
        )

    def _add_history(self) -> None:
        self.queries = Queries(self._log, self._events, self.work_queue)
        self.history = HistoryService(self._log, self._events)
        self.artifacts = Artifacts(self._log, self._backend)
        self.holds = Holds(self._events)
        self.erasures = Erasures(self._events, self.holds, self.settings.history)
        self.person_files = PersonFiles(self._events)
        self._witnesses = Witnesses(self.settings.history)
        self._clock = ClockCheck()
        self._watch = HealthWatch(self._events, self._log.read, self.health)

    def _add_configuration(self) -> None:
        self.blocks = Blocks(self._events)
        self.policy = PolicyStore(self.settings.policy, locations.policy_file(), self._events)
        self.tokens = TokenStore(
            locations.tokens(), self._events, partial(self.blocks.holds, BlockKind.TOKEN)
        )
        self.secrets = SecretStore(locations.secrets(), self._events)
        wanted = self.settings.policy.drill_every > 0 and self._log.engines is None
        self.drills = Drills(locations.drills(), wanted=wanted)

    def _add_runs(self) -> None:
        settings, backend, events = self.settings.sandbox, self._backend, self._events
        self.code_names = CodeNameService(settings, backend, locations.code_names())
        self._startup = SandboxStartup(settings, events, backend)
        self._registry = SessionRegistry(settings)
        self.previewed = PreviewedRuns(events, backend, self._registry)
        self._keys = ReviewerKeys(events, KeyRing(locations.keys()))
        equivalents = EquivalentReviews(self.queries)
        self._decisions = ReviewDecisions(
            self.settings, self.policy, backend, self._keys, self._startup, equivalents
        )
        self.runs = Runs(
            events,
            backend,
            self.work_queue,
            self.supervisor,
            self._decisions,
            self._registry,
            self.blocks,
            self.drills,
        )

    def _add_submissions(self) -> None:
        events, queue, policy = self._events, self.work_queue, self.settings.policy
        self.claims = Claims(events, queue, policy)
        self.queue_listing = QueueListing(self.queries, queue)
        self.presence = Presence(queue)
        self.pre_approvals = PreApprovals(
            events, self._keys, partial(self.blocks.holds, BlockKind.PRE_APPROVAL)
        )
        admission = AdmissionControl(
            self.settings,
            events,
            queue,
            self._registry,
            lambda: self._backend.proof,
            self.tokens.holds,
            self.blocks.reason,
        )
        executor = DecisionExecutor(
            events,
            queue,
            self._decisions,
            self.runs,
            self.drills,
            requires_second_reviewer=policy.requires_second_reviewer,
        )
        self.submissions = SubmissionService(
            events,
            self._analysis,
            queue,
            self.policy,
            self._decisions,
            self.pre_approvals,
            executor,
            admission,
        )
        self.drill_schedule = DrillSchedule(
            self.drills, policy.drill_every, queue, self.submissions, self.supervisor
        )
        events.listen(self.drill_schedule.on_event)
        self.command_checks = CommandChecks(self._analysis, self.policy, self.blocks.reason, policy)
        patience = Patience()
        events.listen(patience.on_event)
        rescanner = Rescanner(
            self._log.read, self._analysis, self.policy, lambda: admission.weaker_runtime, patience
        )
        self.rescans = Rescans(events, self.policy, rescanner, self.supervisor)
        self.incidents = Incidents(events)
        self.shared_queries = SharedQueries(events)
        self.annotations = Annotations(events, self.queries)
        self.rehearsals = Rehearsals(events, queue, self._decisions, self._backend, executor, self.drills)
        self._automatic = AutomaticRehearsals(self.rehearsals, self.policy, queue, self.supervisor)
        events.listen(self._automatic.on_event)
        self.bulk = BulkReview(queue, self.claims, Assignments(events, queue), self.submissions)
        self.revisions = Revisions(self.queries)
        self.intake = IdempotentSubmissions(self.submissions, self.runs, events, self.queries, self.revisions)
        self.careless = CarelessApprovals(self.queries)
        self.learning = Learning(self.queries, self.policy, self._keys, events)
        self.revivals = Revivals(self.submissions, self.intake, events, self.queries, queue)
        self.sessions = SessionService(
            self._registry, events, self.submissions, self.runs, self._backend.sessions, self.tokens.holds
        )
        self.revocations = Revocations(
            self._keys,
            self.tokens,
            self.blocks,
            self.pre_approvals,
            self.submissions,
            self.sessions,
            self.supervisor,
        )
        self.responses = Responses(events, queue, self.runs, self.blocks, self.revocations.apply_blocks)

    async def __aenter__(self) -> Self:
        """Recover what an earlier engine left open, and start the background tasks."""
        try:
            self.work_queue.start(self.supervisor, self.submissions)
            since = (await self._events.record("engine.started")).seq
            self._storage.start()
            await self.policy.start()
            await self.tokens.start()
            await self.secrets.start()
            await self.blocks.start()
            await self.responses.start()
            await self.shared_queries.start()
            await self._keys.start()
            await self.drills.start()
            await self.pre_approvals.start()
            await self._recover()
            if self.several:
                self.several.begin(since)
            await self.rescans.start()
        except BaseException:
            await self.supervisor.close()
            raise
        for name, work in self._work():
            self.supervisor.start(name, work)
        return self

    def _work(self) -> Iterator[tuple[str, Work]]:
        """Yield what goes on until the engine stops, by name."""
        if self.several:
            yield from self.several.work()
        yield "analysis workers", self._analysis.start
        yield "sandbox startup", self._startup.run
        yield "state folder", self._storage.watch
        yield "recording", self._events.watch
        yield "policy reload", self.policy.keep
        yield "session timeouts", self.sessions.close_expired
        yield "retention", self.erasures.run
        yield "health watch", self._watch.run
        yield (
            "witnesses",
            partial(self._witnesses.run, self._log.read.latest_checkpoint, self._events.witness),
        )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop every run, then the background tasks; record what the history still takes, and no more."""
        self.work_queue.stop()
        await self.runs.cancel()
        await self._leave()
        await self._events.pending.settle(LAST_RECORDS_SECONDS)
        await self.supervisor.close()
        with contextlib.suppress(HistoryError, TimeoutError):  # its end is no reason to hang
            async with asyncio.timeout(LAST_RECORDS_SECONDS):
                await self._events.record("engine.stopped")

    async def _leave(self) -> None:
        """Let the other engines have what waits for a place; what they do not hear of they close."""
        with contextlib.suppress(HistoryError, TimeoutError):
            async with asyncio.timeout(LAST_RECORDS_SECONDS):
                if self.several:
                    await self.several.leave()

    async def _recover(self) -> None:
        versions = await self.several.versions() if self.several else {}
        cases = await self._log.read.open_cases()
        elsewhere = await self.several.submissions_elsewhere() if self.several else frozenset()
        for case in cases:
            entry = self.submissions.recover(case)
            entry.version = versions.get(entry.id)
            self.intake.expect(case)
            if case.status is not Status.PENDING and entry.id not in elsewhere:
                await self.runs.close_interrupted(entry)
        await self.submissions.withdraw_revoked()

    @property
    def pool_status(self) -> tuple[PoolStatus, ...]:
        """How many warm sandboxes there are of each image, and how many there should be."""
        return self._backend.pool_status

    @property
    def keys(self) -> tuple[ReviewerKey, ...]:
        """Every key that was ever registered for a reviewer, the oldest first."""
        return self._keys.listed()

    def _on_secret_elsewhere(self, _: Event) -> None:
        self.supervisor.start("secrets of other engines", self.secrets.replay)

    async def analyse(self, code: str, language: Language, by: Principal) -> Analysis:
        """Analyse code without submitting it."""
        return await self._analysis.analyse(code, language, by.account)

    async def record_notification(self, type: str, data: dict[str, Any]) -> None:
        """Record what became of a notice to a receiver."""
        await self._events.record_soon(type, data=data)

    def add_checks(self, checks: Callable[[], Iterable[Check]]) -> None:
        """Show further rows in Health, such as those of the endpoints."""
        self._more_checks.append(checks)

    async def health(self, settled_within: float = 0) -> Health:
        """Return the state of every part, after `settled_within` seconds at most for sandboxes that start."""
        if settled_within:
            await self._startup.wait(settled_within)
        backend, host = await asyncio.gather(
            checked("sandboxes", self._backend.checks),
            checked("host", partial(asyncio.to_thread, host_checks, self.settings.server, self._files)),
        )
        own = (self.policy.check(), self._queue_check(), *self._events.checks(), *self.supervisor.checks())
        more = (check for checks in self._more_checks for check in checks())
        own = (*own, self._clock.check(), *self._watch.checks())
        own = (*own, *(self.several.checks() if self.several else ()))
        checks = (*backend, *own, *host, *self._log.checks(), *self._witnesses.checks(), *more)
        return Health(checks=checks, proof=self._backend.proof)

    def _queue_check(self) -> Check:
        pending = self.work_queue.pending
        detail = f"{pending} pending, {len(self.work_queue) - pending} running or queued"
        return Check(name="queue", ok=True, detail=Untrusted(detail))
