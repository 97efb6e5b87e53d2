"""The desk: submissions come in, are analysed and classified, and wait until decided or late."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.analyst import Analyst
from engine.models import (
    Analysis,
    Capabilities,
    Case,
    Decision,
    Draft,
    Grant,
    Principal,
    Status,
    Submission,
    Verdict,
)
from engine.policy import assess, beyond, shipped
from engine.problem import Problem
from engine.service.canonical import digest
from engine.service.journal import Journal
from engine.service.opened import Opened, OpenSubmissions
from engine.settings import Settings
from engine.text import Untrusted

POLICY = Principal(name=Untrusted("policy"), roles=frozenset())
NOBODY = Principal(name=Untrusted("nobody"), roles=frozenset())
NOT_YET = ("domains", "packages", "secrets", "session")
"""Capabilities that may be asked for and that this engine cannot give."""

STATUS_OF = {
    Verdict.APPROVED: Status.QUEUED,
    Verdict.DENIED: Status.DENIED,
    Verdict.EXPIRED: Status.EXPIRED,
    Verdict.REFUSED: Status.REFUSED,
}


class Desk:
    """Where submissions wait. `approved` is called with each one that may run."""

    def __init__(
        self,
        settings: Settings,
        journal: Journal,
        analyst: Analyst,
        opened: OpenSubmissions,
        tasks: asyncio.TaskGroup,
        approved: Callable[[Opened], None],
        isolated: Callable[[], Awaitable[bool]],
    ) -> None:
        self._settings = settings
        self._journal = journal
        self._analyst = analyst
        self._opened = opened
        self._tasks = tasks
        self._approved = approved
        self._isolated = isolated

    async def submit(self, draft: Draft, requester: Principal) -> Case:
        """Store, analyse and classify a draft, and return its case, which is on disk.

        Raises:
            Problem: too many submissions wait, or more is asked for than the ceiling allows.
        """
        submission = self._accept(draft, requester)
        facts = _facts(submission)
        await self._journal.record("submitted", submission.id, requester.name, data=facts, durable=False)
        analysis = await self._analyst.analyse(submission.draft.code.text, submission.draft.language)
        await self._journal.record("analysed", submission.id, data=_found(analysis), durable=False)
        return await self._classify(submission, analysis)

    async def decide(
        self,
        id: str,
        by: Principal,
        verdict: Verdict,
        shown: str,
        reason: str = "",
        grant: Grant | None = None,
    ) -> Case:
        """Approve or deny the submission whose digest was `shown`; an approval starts its run.

        Raises:
            Problem: it is decided or late, the digest or the grant is wrong, or nothing can run.
        """
        entry = self._opened.get(id)
        async with entry.lock:
            self._may_decide(entry.case, shown)
            given = None
            if verdict is Verdict.APPROVED:
                given = grant or Grant(capabilities=entry.case.submission.draft.capabilities)
                await self._may_grant(entry.case, given.capabilities)
            return await self._settle(entry, by, verdict, reason, given)

    def waiting_twin(self, draft: Draft, requester: Principal) -> Case | None:
        """Return the open submission of the same draft by the same requester, if there is one."""
        same = digest(_asking_for_its_files(draft), requester)
        return next((entry.case for entry in self._opened if entry.case.submission.digest == same), None)

    def wait_again(self, case: Case, entry: Opened) -> None:
        """Let a submission that an earlier engine left waiting wait for the rest of its time."""
        left = (case.deadline - _now()).total_seconds() if case.deadline else 0.0
        entry.task = self._tasks.create_task(self._expire(entry, max(0.0, left)))

    def _accept(self, draft: Draft, requester: Principal) -> Submission:
        waiting = self._opened.waiting
        if waiting >= self._settings.doors.max_waiting:
            raise Problem(429, f"{waiting} submissions wait already", mend="Come back in a minute.")
        draft = _asking_for_its_files(draft)
        over = beyond(draft.capabilities, draft.capabilities, self._settings.policy.ceiling)
        if over:
            raise Problem(422, f"more is asked for than may be given: {'; '.join(over)}")
        return Submission(
            id=_new_id(),
            draft=draft,
            requester=requester,
            submitted_at=_now(),
            digest=digest(draft, requester),
        )

    async def _classify(self, submission: Submission, analysis: Analysis) -> Case:
        assessment = assess(submission.draft, analysis, shipped())
        wait = assessment.deadline_seconds
        case = Case(
            submission=submission,
            status=Status.WAITING,
            analysis=analysis,
            assessment=assessment,
            deadline=None if wait is None else _now() + timedelta(seconds=wait),
        )
        data = {"risk": assessment.risk.value, "rules": [match.rule for match in assessment.matches]}
        entry = self._opened.add(case, lambda offset: self._journal.log.read_output(submission.id, offset))
        await self._journal.record("classified", submission.id, data=data, case=case)
        if wait is None:
            return await self.decide(submission.id, POLICY, Verdict.APPROVED, submission.digest, "low risk")
        entry.task = self._tasks.create_task(self._expire(entry, wait))
        return case

    def _may_decide(self, case: Case, shown: str) -> None:
        id = case.submission.id
        if case.status is not Status.WAITING:
            raise Problem(409, f"{id} waits no more: it is {case.status}")
        if case.deadline is not None and _now() >= case.deadline:
            raise Problem(409, f"{id} is past its deadline", mend="Have it submitted again.")
        if shown != case.submission.digest:
            raise Problem(409, f"what was shown is not {id}: the digests differ", mend="Open it again.")

    async def _may_grant(self, case: Case, given: Capabilities) -> None:
        over = beyond(given, case.submission.draft.capabilities, self._settings.policy.ceiling)
        if over:
            raise Problem(422, f"a grant is never more than was asked: {'; '.join(over)}")
        missing = [kind for kind in NOT_YET if getattr(given, kind)]
        if missing:
            raise Problem(422, f"this engine cannot give {' or '.join(missing)}", mend="Approve without.")
        if not await self._isolated():
            raise Problem(503, "nothing runs: gVisor is not proven here", mend="Type: pratique doctor")

    async def _settle(
        self, entry: Opened, by: Principal, verdict: Verdict, reason: str, grant: Grant | None
    ) -> Case:
        submission = entry.case.submission
        decision = Decision(
            submission=submission.id,
            digest=submission.digest,
            verdict=verdict,
            by=by,
            at=_now(),
            reason=Untrusted(reason),
            grant=grant,
        )
        case = entry.case.model_copy(update={"decision": decision, "status": STATUS_OF[verdict]})
        kind = "expired" if verdict is Verdict.EXPIRED else "decided"
        data = decision.model_dump(mode="json")
        await self._journal.record(kind, submission.id, by.name, data=data, case=case)
        entry.case = case
        entry.cancel()
        if verdict is Verdict.APPROVED:
            self._approved(entry)
        else:
            self._opened.close(entry)
        return case

    async def _expire(self, entry: Opened, seconds: float) -> None:
        await asyncio.sleep(seconds)
        async with entry.lock:
            if entry.case.status is Status.WAITING:
                await self._settle(entry, NOBODY, Verdict.EXPIRED, "nobody decided in time", None)


def _asking_for_its_files(draft: Draft) -> Draft:
    """Return the draft with its input files among what it asks for: handing one in is asking for it."""
    names = tuple(file.name for file in draft.files)
    if len(set(names)) != len(names):
        raise Problem(422, "two input files have the same name")
    return draft.model_copy(update={"capabilities": draft.capabilities.model_copy(update={"files": names})})


def _facts(submission: Submission) -> dict[str, Any]:
    draft = submission.draft
    return {
        "digest": submission.digest,
        "language": draft.language.value,
        "bytes": len(draft.code.text.encode()),
        "purpose": draft.purpose.text,
        "capabilities": draft.capabilities.model_dump(mode="json"),
    }


def _found(analysis: Analysis) -> dict[str, Any]:
    rules = sorted({violation.rule for violation in analysis.violations})
    return {"rules": rules, "complete": analysis.complete, "seconds": analysis.seconds}


def _new_id() -> str:
    """Return an id that sorts by time and is short enough to type: time, then three characters of chance."""
    number = (time.time_ns() // 1_000_000) * 32**3 + secrets.randbelow(32**3)
    letters = ""
    while number:
        number, digit = divmod(number, 32)
        letters = "0123456789abcdefghjkmnpqrstvwxyz"[digit] + letters
    return f"s-{letters}"


def _now() -> datetime:
    return datetime.now(UTC)
