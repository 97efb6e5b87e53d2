"""An engine in memory, for frames that must be the same every time. It answers with real nouns."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from engine.common.errors import Problem
from engine.common.level_reason import level_reason, worst_violation
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Assessment,
    Assignment,
    BulkAnswer,
    Case,
    Check,
    Claim,
    Consequence,
    Decision,
    DecisionOutcome,
    Draft,
    Erasure,
    Event,
    Facets,
    FilterHelp,
    Grant,
    Health,
    InputFile,
    IsolationProof,
    KillReason,
    Language,
    Level,
    LineComment,
    MatchMode,
    Meters,
    OutputChunk,
    Permissions,
    PreApproval,
    PredictedEffect,
    Principal,
    QueueEntry,
    Result,
    ReviewRecord,
    Revision,
    RuleMatch,
    SimilarSubmission,
    Span,
    Status,
    Stream,
    Submission,
    Summary,
    Trends,
    Verification,
    VerificationProgress,
    Violation,
)
from engine.models.code_names import CodeNames
from engine.models.erasing.erasure import ErasureReport, ErasureRequest, Hold, RecordedErasure
from engine.models.history import Counts, Total
from engine.models.incident import EntryKind, Incident, IncidentEntry, SealProgress
from engine.models.lines import RunLines
from engine.models.observed import RunEffects
from engine.models.past_decisions import DrillScore, PolicyAdoption, PolicySuggestion
from engine.models.rehearsal import Rehearsal
from engine.models.rescan import Rescan, RescanOutcome, RescanRequest, RescanState
from engine.models.response import (
    Block,
    BlockKind,
    BlockTarget,
    Response,
    ResponsePlan,
    ResponseRequest,
)
from engine.models.shared_query import SharedQuery
from engine.models.snapshot import RunSnapshot
from engine.policy.consequences import consequences
from tests.console.support.fake_previews import FakePreviews

NAMES = """builtins\tmodule\t\t
builtins.print\tfunction\t(*args, sep=' ')\tPrints the values to a stream.
json\tmodule\t\tJSON.
json.dump\tfunction\t(obj, fp)\tSerialize an object into a file.
json.dumps\tfunction\t(obj, *, indent=None)\tSerialize an object."""
"""What the image says about its names."""

ME = Principal(name=Untrusted("operator"))


def span(line: int, column: int, end_column: int) -> Span:
    """Return a span on one line."""
    return Span(line=line, column=column, end_line=line, end_column=end_column)


def violation(at: Span, text: str = "reads the whole environment", level: Level = Level.HIGH) -> Violation:
    """Return a violation with everything in it."""
    return Violation(
        rule="py-environ", severity=level, confidence="high", category="secrets", span=at,
        message=Untrusted(text), attack="Sends keys to whoever asked.", why="Nothing else is in reach.",
        fix="Name the variable.", cwe=526, owasp="A05",
    )  # fmt: skip


def suggestion(id: str, words: Untrusted) -> PolicySuggestion:
    """Return a suggested rule."""
    yaml = f"rules:\n  - {{id: {id}, risk: low}}\n"
    return PolicySuggestion(id=id, words=words, requester="token:t-1", language=Language.PYTHON,
                            approved=47, changed=("s-1", "s-2"), changes=47, yaml=yaml)  # fmt: skip


def case(
    id: str,
    code: str,
    *,
    who: str = "agent",
    purpose: str = "to help",
    level: Level = Level.HIGH,
    violations: tuple[Violation, ...] = (),
    effects: tuple[PredictedEffect, ...] = (),
    wanted: Permissions | None = None,
    files: tuple[InputFile, ...] = (),
    seconds: float = 3600,
    language: Language = Language.PYTHON,
) -> Case:
    """Return a case that waits for a decision for `seconds`."""
    now = datetime.now(UTC)
    draft = Draft(code=Untrusted(code), language=language, purpose=Untrusted(purpose),
                  permissions=wanted or Permissions(), files=files)  # fmt: skip
    requester = Principal(name=Untrusted(who))
    digest = sha256((id + code).encode("utf-8", "replace")).hexdigest()
    return Case(
        submission=Submission(id=id, draft=draft, requester=requester, submitted_at=now, digest=digest),
        status=Status.PENDING,
        analysis=Analysis(violations=violations, effects=effects),
        assessment=Assessment(
            risk=level,
            matches=(RuleMatch(rule="violations", level=level, reason=Untrusted(f"because of {who}")),),
            deadline_seconds=seconds,
        ),
        deadline=now + timedelta(seconds=seconds),
    )


def summary(case: Case) -> Summary:
    """Return the line about a case."""
    draft, result = case.submission.draft, case.result
    return Summary(
        id=case.submission.id, digest=case.submission.digest, status=case.status, risk=case.assessment.risk,
        language=draft.language, requester=case.submission.requester.name,
        first_line=Untrusted(draft.code.text.split("\n")[0]), lines=draft.code.text.count("\n") + 1,
        violations=len(case.analysis.violations), submitted_at=case.submission.submitted_at,
        deadline=case.deadline, reviewer=case.decision.by.name if case.decision else Untrusted(""),
        kill_reason=result.kill_reason if result else None, exit_code=result.exit_code if result else None,
        duration=result.duration if result else None, memory_peak=result.memory_peak if result else None,
    )  # fmt: skip


def entry(case: Case) -> QueueEntry:
    """Return what the queue says of a case."""
    same, worst = (
        hashlib.sha256(repr(case.submission.draft).encode()).hexdigest(),
        worst_violation(case.analysis),
    )
    return QueueEntry(
        summary=summary(case),
        level_reason=level_reason(case),
        purpose=case.submission.draft.purpose,
        verdict=case.analysis.verdict,
        worst=worst.severity if worst else None,
        claim=case.claim,
        assigned=case.assigned.to if case.assigned else Untrusted(""),
        assigned_to_me=case.assigned is not None and case.assigned.to == ME.name,
        group=same,
        identical=same,
    )


def result(kill: KillReason = KillReason.NONE, evidence: tuple[str, ...] = ()) -> Result:
    """Return the envelope of a run."""
    return Result(
        exit_code=0 if kill is KillReason.NONE else None, kill_reason=kill, evidence=evidence, duration=1.5,
        first_byte=0.1, memory_peak=42 * 1024 * 1024, stdout_bytes=5, stderr_bytes=0, truncated=False,
        image_digest="sha256:0", runtime="runsc",
    )  # fmt: skip


class FakeEngine:
    """Answers as `engine.client.client.Client` does."""

    drill_score = DrillScore()

    def __init__(self, *cases: Case, isolated: bool = True) -> None:
        self.cases = {each.submission.id: each for each in cases}
        self.decided: list[tuple[str, DecisionOutcome, str, str, Grant | None]] = []
        self.comments: tuple[LineComment, ...] = ()
        self.exports: list[tuple[str, str, int]] = []
        self.review_records: list[ReviewRecord | None] = []
        self.given: list[PreApproval] = []
        self.run_commands: list[tuple[str, str]] = []
        self.submitted: list[Draft] = []
        self.exit_code = 0
        """How runs end."""
        self.decides = False
        """Whether somebody has to decide about what is submitted."""
        self.refusal: Problem | None = None
        """The answer to whoever decides."""
        self.written: dict[str, list[OutputChunk]] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        """What runs left, by run and name."""
        self.hold: set[str] = set()
        """The runs that write on until the engine is lost."""
        self.retained: tuple[Erasure, ...] = ()
        """What retention erased, of whichever submission is asked about."""
        self.samples: dict[str, list[Meters]] = {}
        self.events_of: dict[str, tuple[Event, ...]] = {}
        self.effects_of: dict[str, RunEffects] = {}
        self.lines_of: dict[str, RunLines] = {}
        self.looks: dict[str, RunSnapshot] = {}
        """What runs are doing; the others do not run."""
        self.rehearsals_of: dict[str, Rehearsal] = {}
        """What rehearsals find."""
        self.rehearsed = asyncio.Event()
        """Set once rehearsals may end."""
        self.withheld: list[bool] = []
        self.stopped: set[str] = set()
        self.revisions: dict[str, Revision] = {}
        """What submissions change in those that they revise."""
        self.analysis = Analysis()
        self.figures = Trends(submissions=0, runs=0, kills_by_hour={}, memory_share=0, memory_alert=False,
                              decision_seconds={}, expired_share=0, hasty_share=0, busiest={})  # fmt: skip
        self.history = FakeHistory(self)
        self.responses = FakeResponses(self)
        self.incidents = FakeIncidents(self)
        self.erasures, self.rescans, self.shared_queries = FakeErasures(), FakeRescans(), FakeSharedQueries()
        self.pre_approvals = FakePreApprovals(self)
        self.policy, self.previews = FakePolicy(self), FakePreviews()
        self.suggested: tuple[PolicySuggestion, ...] = ()
        self.reviews = FakeReviews(self)
        self.lost = asyncio.Event()
        self._changed = asyncio.Event()
        self._happened: list[tuple[str, str]] = []
        self.proof = IsolationProof(isolated=isolated, runtime="runsc", kernel=Untrusted("4.4.0"),
                           detail=Untrusted("Starting gVisor..."), version="1")  # fmt: skip
        self.checks: tuple[Check, ...] = (
            Check(name="docker", ok=True, detail=Untrusted("well")),
            Check(name="disk", ok=False, detail=Untrusted("full"), hint="Type: pratique prune"),
        )

    async def health(self, settled_within: float = 0) -> Health:
        self.answer()
        return Health(checks=self.checks, proof=self.proof)

    async def queue(self) -> tuple[Summary, ...]:
        self.answer()
        open_ones = {Status.PENDING, Status.QUEUED, Status.RUNNING}
        return tuple(summary(each) for each in self.cases.values() if each.status in open_ones)

    async def case(self, id: str, within: float = 0) -> Case:
        self.answer()
        if within and self.cases[id].status in {Status.QUEUED, Status.RUNNING}:
            await asyncio.sleep(min(within, 0.05))
        return self.cases[id]

    async def submit(self, draft: Draft) -> Case:
        self.submitted.append(draft)
        fresh = case(f"s-{len(self.cases)}", draft.code.text, level=Level.LOW, wanted=draft.permissions)
        if self.decides:
            self.put(fresh.model_copy(update={"analysis": self.analysis}))
            return self.cases[fresh.submission.id]
        finished = result().model_copy(update={"exit_code": self.exit_code})
        ended = {} if fresh.submission.id in self.hold else {"status": Status.FINISHED, "result": finished}
        started = {"status": Status.RUNNING, "started_at": datetime.now(UTC)}
        self.put(fresh.model_copy(update={**started, **ended}))
        return self.cases[fresh.submission.id]

    async def decide(
        self,
        id: str,
        outcome: DecisionOutcome,
        digest: str,
        reason: str = "",
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
        comments: tuple[LineComment, ...] = (),
    ) -> Case:
        self.comments = comments
        if self.refusal is not None:
            raise self.refusal
        self.decided.append((id, outcome, digest, reason, grant))
        self.review_records.append(review_record)
        known = self.cases[id]
        if known.submission.digest != digest:
            raise Problem(409, "that is not what was shown")
        decision = Decision(submission=id, digest=digest, outcome=outcome, by=ME, at=datetime.now(UTC),
                            reason=Untrusted(reason), grant=grant)  # fmt: skip
        status = Status.RUNNING if outcome is DecisionOutcome.APPROVED else Status.DENIED
        begun = datetime.now(UTC) if outcome is DecisionOutcome.APPROVED else None
        self.put(known.model_copy(update={"status": status, "decision": decision, "started_at": begun}))
        return self.cases[id]

    async def withdraw(self, id: str, requester: str = "") -> Case:
        self.put(self.cases[id].model_copy(update={"status": Status.DENIED}), "decision.made")
        return self.cases[id]

    async def claim(self, id: str) -> Case:
        claim = Claim(by=ME.name, until=datetime.now(UTC) + timedelta(seconds=300))
        self.put(self.cases[id].model_copy(update={"claim": claim}), "claim.created")
        return self.cases[id]

    async def release(self, id: str) -> Case:
        self.put(self.cases[id].model_copy(update={"claim": None}), "claim.released")
        return self.cases[id]

    async def consequences(self, id: str, grant: Grant) -> tuple[Consequence, ...]:
        draft = self.cases[id].submission.draft
        return consequences(self.cases[id].analysis, draft.permissions, grant.permissions)

    async def similar(self, id: str) -> SimilarSubmission | None:
        others = [other for other in self.cases if other != id]
        return SimilarSubmission(id=others[0], similarity=0.87) if others else None

    def happen(self, type: str, id: str) -> None:
        """Tell who listens of an event that changes no case."""
        self._happened.append((type, id))
        self._changed.set()

    def put(self, changed: Case, type: str = "changed") -> None:
        """Take a case in, and wake who listens."""
        self.cases[changed.submission.id] = changed
        self.happen(type, changed.submission.id)

    async def events(self, since: int | None = None) -> AsyncIterator[Event]:
        seq = 0
        while True:
            waits = [asyncio.ensure_future(each.wait()) for each in (self._changed, self.lost)]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()
            self.answer()
            self._changed.clear()
            happened, self._happened = self._happened, []
            for type, subject in happened:
                seq += 1
                yield event(seq, type, subject)

    async def output(self, id: str, offset: int = 0) -> AsyncIterator[OutputChunk]:
        if any(each.what == "output" for each in self.retained):
            raise Problem(410, f"the output of {id} was erased by retention: older than 30 days")
        end = 0
        for chunk in self.written.get(id, ()):
            end += len(chunk.data)
            if end > offset:
                yield chunk.model_copy(update={"offset": end - len(chunk.data)})
        if id in self.hold:
            await self.lost.wait()
            self.answer()

    async def meters(self, id: str) -> AsyncIterator[Meters]:
        for sample in self.samples.get(id, ()):
            yield sample

    async def effects(self, id: str) -> RunEffects:
        return self.effects_of.get(id, RunEffects())

    async def lines(self, id: str) -> RunLines:
        return self.lines_of.get(id, RunLines())

    async def look(self, id: str) -> RunSnapshot:
        if id not in self.looks:
            raise Problem(409, f"{id} is not running")
        return self.looks[id]

    async def artifact(self, id: str, name: Untrusted) -> bytes:
        return self.files[(id, name.text)]

    async def stop(self, id: str) -> None:
        self.run_commands.append(("stop", id))

    async def kill(self, id: str) -> None:
        self.run_commands.append(("kill", id))

    async def pause(self, id: str) -> None:
        self.run_commands.append(("pause", id))

    async def resume(self, id: str) -> None:
        self.run_commands.append(("resume", id))

    async def analyse(self, code: str, language: Language) -> Analysis:
        return self.analysis

    async def code_names(self, language: Language, image: str = "") -> CodeNames:
        return CodeNames(image=image, digest="", table=Untrusted(NAMES))

    async def close(self) -> None:
        return None

    def answer(self) -> None:
        if self.lost.is_set():
            raise Problem(503, "no engine answers", hint="Type: pratique serve")


class FakeHistory:
    """Answers as the history of the client does."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine

    async def case_file(self, id: str) -> bytes:
        return f"the case file of {self._engine.cases[id].submission.id}".encode()

    async def search(
        self, filter: str = "", before: str | None = None, limit: int = 200, sort: str = ""
    ) -> tuple[Summary, ...]:
        self._engine.answer()
        rows = [summary(each) for each in reversed(self._engine.cases.values())]
        rows = [row for row in rows if filter in row.requester.text]
        start = next((index + 1 for index, row in enumerate(rows) if row.id == before), 0)
        return tuple(rows[start : start + limit])

    async def record_export(self, what: str, kind: str, submissions: int) -> None:
        self._engine.exports.append((what, kind, submissions))

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        return self._engine.retained

    async def events(self, id: str) -> tuple[Event, ...]:
        return self._engine.events_of.get(id, ())

    async def verify(self) -> Verification:
        return Verification(events=7, intact=True)

    async def verify_with_progress(self, *, resume: bool = False) -> AsyncIterator[VerificationProgress]:
        yield VerificationProgress(done=3, total=7)
        yield VerificationProgress(done=7, total=7, found=await self.verify())

    async def total(self, filter: str = "") -> Total:
        return Total(count=len(await self.search(filter, limit=1 << 30)), exact=True)

    async def counts(self, filter: str, by: str) -> Counts:
        return Counts(field=by, exact=True, counts={})

    async def facets(self, filter: str = "") -> Facets:
        rows = await self.search(filter)
        counts = {"risk": Counter(row.risk.value for row in rows),
                  "requester": Counter(row.requester.text for row in rows)}  # fmt: skip
        return Facets(total=len(rows), exact=True, counts={kind: dict(each) for kind, each in counts.items()})

    async def filter_help(self, filter: str) -> FilterHelp:
        wrong = filter.find("!")
        if wrong >= 0:
            return FilterHelp(completions=(), position=wrong, problem="That is wrong", hint="Leave it out")
        return FilterHelp(completions=(f"{filter}:",))

    async def trends(self, days: float = 7) -> Trends:
        return self._engine.figures


class FakeResponses:
    """Answers as the responses of the client do, about one agent and one host."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine
        self.text = Untrusted("hooks.example")
        self.requests: list[ResponseRequest] = []
        self.undone: list[str] = []

    async def plan(self, query: str) -> ResponsePlan:
        hosts = BlockTarget(kind=BlockKind.HOST, value=self.text)
        running = tuple(id for id, one in self._engine.cases.items() if one.status is Status.RUNNING)
        total = Total(count=len(self._engine.cases), exact=True)
        return ResponsePlan(query=query, total=total, running=running, waiting=(), complete=True,
                            targets=(hosts,))  # fmt: skip

    async def respond(self, request: ResponseRequest) -> Response:
        self.requests.append(request)
        return Response(id="r-1", by=ME.name, at=datetime.now(UTC), request=request)

    async def list(self) -> tuple[Response, ...]:
        made = ResponseRequest(block=(BlockTarget(kind=BlockKind.HOST, value=self.text),), reason=self.text)
        return (Response(id="r-1", by=self.text, at=datetime.now(UTC), request=made),)

    async def blocks(self) -> tuple[Block, ...]:
        at = datetime.now(UTC)
        return (Block(id="b-1", kind=BlockKind.HOST, value=self.text, reason=self.text, by=self.text, at=at,
                      until=at + timedelta(hours=1)),)  # fmt: skip

    async def undo(self, id: str) -> Response:
        self.undone.append(id)
        return (await self.list())[0]

    async def unblock(self, id: str) -> None:
        self.undone.append(id)


class FakeIncidents:
    """Answers as the incidents of the client do."""

    def __init__(self, engine: FakeEngine) -> None:
        self.known: dict[str, Incident] = {}
        self.annotated: list[tuple[str, str]] = []
        self.may_end = asyncio.Event()
        """Cleared while an export goes on."""
        self.may_end.set()

    async def list(self) -> tuple[Incident, ...]:
        return tuple(reversed(self.known.values()))

    async def open(self, name: str) -> Incident:
        id = f"i-{len(self.known)}"
        self.known[id] = Incident(id=id, name=Untrusted(name), by=ME.name, at=datetime.now(UTC))
        return self.known[id]

    async def incident(self, id: str) -> Incident:
        return self.known[id]

    async def add(self, id: str, kind: EntryKind, value: str) -> Incident:
        known = self.known[id]
        new = IncidentEntry(kind=kind, value=Untrusted(value), by=known.name, at=datetime.now(UTC))
        self.known[id] = known.model_copy(update={"entries": (*known.entries, new)})
        return self.known[id]

    async def sealing(self, id: str) -> SealProgress:
        return SealProgress(done=3, total=8)

    async def sealed(self, id: str) -> bytes:
        await self.may_end.wait()
        return f"sealed {id}".encode()

    async def note(self, id: str, text: str) -> None:
        self.annotated.append((id, text))

    async def tag(self, id: str, tag: str) -> None:
        self.annotated.append((id, f"+{tag}"))

    async def untag(self, id: str, tag: str) -> None:
        self.annotated.append((id, f"-{tag}"))


class FakeErasures:
    """Answers as the erasures of the client do: each erases of two submissions, and one is held."""

    def __init__(self) -> None:
        self.known: dict[str, Hold] = {}
        self.requests: list[ErasureRequest] = []
        self.done: tuple[RecordedErasure, ...] = ()
        """What was erased."""
        self.report = ErasureReport(
            dry_run=True, submissions=2, categories={"code": 2, "decision.made": 1}, held=("s-held",)
        )
        """What the next erasure erases, or would."""

    async def list(self, limit: int = 100) -> tuple[RecordedErasure, ...]:
        return self.done

    async def holds(self) -> tuple[Hold, ...]:
        return tuple(reversed(self.known.values()))

    async def hold(self, query: str, reason: str) -> Hold:
        id = f"h-{len(self.known)}"
        self.known[id] = Hold(id=id, query=Untrusted(query), reason=Untrusted(reason), by=Untrusted(reason),
                              at=datetime.now(UTC))  # fmt: skip
        return self.known[id]

    async def release(self, id: str) -> None:
        del self.known[id]

    async def erase(self, request: ErasureRequest) -> ErasureReport:
        self.requests.append(request)
        return self.report.model_copy(update={"dry_run": request.dry_run})

    async def person_file(self, name: str) -> bytes:
        return f"everything about {name}".encode()


class FakeRescans:
    """Answers as the rescans of the client do: each has found two of eight worse."""

    def __init__(self) -> None:
        self.known: tuple[Rescan, ...] = ()

    async def list(self) -> tuple[Rescan, ...]:
        return self.known

    async def begin(self, query: str, share: float) -> Rescan:
        request = RescanRequest(query=query, share=share)
        begun = Rescan(id=f"x-{len(self.known)}", request=request, by=ME.name, at=datetime.now(UTC),
                       policy="0" * 64, total=Total(count=8, exact=True), done=3,
                       counts={RescanOutcome.WORSE: 2})  # fmt: skip
        self.known = (begun, *self.known)
        return begun

    def ended(self, state: RescanState) -> None:
        """End the newest."""
        self.known = (self.known[0].model_copy(update={"state": state}), *self.known[1:])

    async def stop(self, id: str) -> Rescan:
        self.ended(RescanState.STOPPED)
        return self.known[0]


class FakeSharedQueries:
    """Answers as the shared queries of the client do."""

    def __init__(self) -> None:
        self.known: dict[str, SharedQuery] = {}

    async def list(self) -> tuple[SharedQuery, ...]:
        return tuple(self.known.values())

    async def share(self, name: str, query: str) -> SharedQuery:
        shared = SharedQuery(name=name, query=Untrusted(query), by=ME.name, at=datetime.now(UTC))
        self.known[name] = shared
        return shared

    async def remove(self, name: str) -> None:
        del self.known[name]


class FakeReviews:
    """Answers as the reviews of the client do."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine
        self.groups: dict[str, str] = {}
        """The groups of submissions that are equivalent to others."""
        self.present: tuple[Untrusted, ...] = ()
        """The other reviewers who have whatever is on screen on theirs."""

    async def look(self, id: str) -> tuple[Untrusted, ...]:
        return self.present

    async def queue(self, ids: Sequence[str] = ()) -> tuple[QueueEntry, ...]:
        listed = [each.id for each in await self._engine.queue() if not ids or each.id in ids]
        entries = [entry(self._engine.cases[id]) for id in listed]
        return tuple(
            each.model_copy(update={"group": self.groups.get(each.summary.id, each.group)})
            for each in entries
        )

    async def expired(self) -> tuple[QueueEntry, ...]:
        self._engine.answer()
        gone = (each for each in self._engine.cases.values() if each.status is Status.EXPIRED)
        return tuple(entry(each) for each in gone if not each.revived_as)

    async def assign(self, ids: Sequence[str], to: str = "me") -> tuple[BulkAnswer, ...]:
        name = ME.name if to == "me" else Untrusted(to)
        made = Assignment(to=name, by=ME.name, at=datetime.now(UTC)) if to else None
        for id in ids:
            changed = self._engine.cases[id].with_assignment(made)
            self._engine.put(changed, "assignment.made" if made else "assignment.removed")
        return tuple(BulkAnswer(id=id, status=Status.PENDING) for id in ids)

    async def revive(self, id: str) -> Case:
        gone = self._engine.cases[id]
        new = case(f"{id}-again", gone.submission.draft.code.text)
        self._engine.put(new)
        self._engine.put(gone.with_revival(new.submission.id), "submission.revived")
        return new

    async def revision(self, id: str) -> Revision:
        if id not in self._engine.revisions:
            raise Problem(404, f"{id} revises no other submission")
        return self._engine.revisions[id]

    async def rehearse(self, id: str, *, withhold_files: bool = False) -> Rehearsal:
        self._engine.withheld.append(withhold_files)
        self._engine.happen("rehearsal.started", id)
        await self._engine.rehearsed.wait()
        self._engine.answer()
        if id in self._engine.stopped:
            raise Problem(409, "no rehearsal: it was stopped by operator")
        found = self._engine.rehearsals_of[id]
        self._engine.put(self._engine.cases[id], "rehearsal.ended")
        return found

    async def stop_rehearsal(self, id: str) -> None:
        self._engine.stopped.add(id)
        self._engine.rehearsed.set()

    async def rehearsal(self, id: str) -> Rehearsal:
        if id not in self._engine.rehearsals_of or not self._engine.rehearsed.is_set():
            raise Problem(404, f"{id} was not rehearsed")
        return self._engine.rehearsals_of[id]

    async def extend(self, id: str) -> Case:
        known = self._engine.cases[id]
        assert known.deadline is not None
        later = known.with_deadline(known.deadline + timedelta(minutes=10))
        self._engine.put(later, "submission.extended")
        return later


class FakePolicy:
    """Answers as the policy of the client does."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine

    async def suggestions(self) -> tuple[PolicySuggestion, ...]:
        self._engine.answer()
        return self._engine.suggested

    async def drills(self) -> DrillScore:
        return self._engine.drill_score

    async def adopt(self, rule: str) -> PolicyAdoption:
        (one,) = (each for each in self._engine.suggested if each.id == rule)
        self._engine.suggested = tuple(each for each in self._engine.suggested if each.id != rule)
        return PolicyAdoption(rule=rule, yaml=one.yaml, by=ME, at=datetime.now(UTC))


class FakePreApprovals:
    """Answers as the pre-approvals of the client do."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine

    async def create(
        self, id: str, match_mode: MatchMode, ceiling: Level, uses: int, days: float
    ) -> PreApproval:
        known, at = self._engine.cases[id].submission, datetime.now(UTC)
        new = f"a-{len(self._engine.given)}"
        given = PreApproval(id=new, match_mode=match_mode, value=known.digest, by=ME, at=at,
                         requester=known.requester.name, ceiling=ceiling, uses=uses, basis=id,
                         until=at + timedelta(days=days),
                         grant=Grant(permissions=Permissions()))  # fmt: skip
        self._engine.given.append(given)
        return given

    async def list(self) -> tuple[PreApproval, ...]:
        return tuple(reversed(self._engine.given))

    async def revoke(self, id: str) -> None:
        self._engine.given = [one for one in self._engine.given if one.id != id]


def event(seq: int, type: str, subject: str, data: dict[str, Any] | None = None, by: str = "engine") -> Event:
    """Return an event; its hashes are not those of a real chain."""
    return Event(seq=seq, at=datetime.now(UTC), type=type, subject=subject, actor=Untrusted(by),
                 data=data or {}, previous="0" * 64, hash="1" * 64)  # fmt: skip


def chunk(text: str | bytes, stream: Stream = Stream.STDOUT, offset: int = 0) -> OutputChunk:
    """Return a piece of output."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return OutputChunk(stream=stream, at=0.1, offset=offset, data=data)
