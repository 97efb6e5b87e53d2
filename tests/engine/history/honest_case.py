"""A case whose digests, events and signatures are those that the engine would write."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
from engine.core.submissions.canonical import digest
from engine.core.submissions.normalisation import analysis_payload, submission_payload
from engine.history.exports import case_verify
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Artifact,
    Case,
    Decision,
    DecisionOutcome,
    Display,
    Grant,
    InputFile,
    KillReason,
    OutputChunk,
    Principal,
    Result,
    ReviewRecord,
    Status,
    Stream,
)
from engine.policy.binding import analysis_hash
from engine.principals.signing import sign
from tests.engine.history.conftest import build_case

Members = dict[str, bytes]
ENGINE = Untrusted("engine")
REVIEWERS = {name: Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n, name in enumerate("abx")}
"""Alice's and bob's keys by their first letter, and that of nobody, as whom the engine lets cases expire."""
LEFT, PICTURE = b"left", b"\x89PNG"
OUTPUT = (
    OutputChunk(stream=Stream.STDOUT, at=0.5, offset=0, data=b"out\x00\xff"),
    OutputChunk(stream=Stream.STDERR, at=0.625, offset=5, data=b"error"),
)


def key_of(name: str) -> str:
    """Return a reviewer's public key."""
    return _private(name).public_key().public_bytes_raw().hex()


def _private(name: str) -> Ed25519PrivateKey:
    return REVIEWERS.get(name[0], REVIEWERS["x"])


def new_case(id: str = "s1", code: str = "print('ü\x1b')") -> Case:
    """Return a case that waits, with a file whose name would climb out of a folder."""
    files = (InputFile(name=Untrusted("../../etc/passwd"), content=bytes(range(256))),)
    case = build_case(id, code, files=files)
    right = digest(case.submission.draft, case.submission.requester)
    return case.model_copy(update={"submission": case.submission.model_copy(update={"digest": right})})


def decision(case: Case, name: str, outcome: DecisionOutcome, *, signed: bool = True) -> Decision:
    """Return the decision of a reviewer about a case."""
    approved = outcome is DecisionOutcome.APPROVED
    made = Decision(
        submission=case.submission.id,
        digest=case.submission.digest,
        outcome=outcome,
        by=Principal(name=Untrusted(name)),
        at=datetime(2026, 11, 21, 6, 1, tzinfo=UTC),
        grant=Grant(permissions=case.submission.draft.permissions) if approved else None,
        analysis=analysis_hash(case.analysis),
        review_record=ReviewRecord(seconds=12.5, lines=((1, 1),)) if approved else None,
    )
    return sign(made, _private(name)) if signed else made


def result(**changed: Any) -> Result:
    """Return the result of the run whose output is `OUTPUT`."""
    plain = Result(
        exit_code=0,
        kill_reason=KillReason.NONE,
        duration=1.5,
        memory_peak=1 << 20,
        stdout_bytes=5,
        stderr_bytes=5,
        truncated=False,
        image_digest="sha256:0",
        runtime="runsc",
        artifacts=(_artifact("../a", LEFT),),
        displays=(Display(mime="image/png", digest=hashlib.sha256(PICTURE).hexdigest(), size=4),),
    )
    return plain.model_copy(update=changed)


def _artifact(name: str, content: bytes) -> Artifact:
    return Artifact(name=Untrusted(name), size=len(content), digest=hashlib.sha256(content).hexdigest())


async def submit(log: SqliteHistoryStore, case: Case) -> Case:
    """Record a submission up to where it waits for a decision."""
    id, requester = case.submission.id, case.submission.requester.name
    await log.append("submission.created", id, requester, submission_payload(case.submission))
    await log.append("submission.analysed", id, ENGINE, analysis_payload(case.analysis))
    rules = [match.rule for match in case.assessment.matches]
    risk = {"risk": case.assessment.risk.value, "rules": rules}
    await log.append("submission.assessed", id, ENGINE, risk, case=case)
    return case


async def first_approval(log: SqliteHistoryStore, case: Case, name: str) -> Case:
    """Record the first of two approvals."""
    made = decision(case, name, DecisionOutcome.APPROVED)
    case = case.with_first_approval(made)
    data = made.model_dump(mode="json")
    await log.append("decision.first_approval", case.submission.id, Untrusted(name), data, case=case)
    return case


async def decide(
    log: SqliteHistoryStore, case: Case, name: str, outcome: DecisionOutcome, *, signed: bool = True
) -> Case:
    """Record a decision."""
    made = decision(case, name, outcome, signed=signed)
    approved = outcome is DecisionOutcome.APPROVED
    case = case.with_decision(made, Status.QUEUED if approved else Status(outcome.value))
    type = "decision.expired" if outcome is DecisionOutcome.EXPIRED else "decision.made"
    await log.append(type, case.submission.id, Untrusted(name), made.model_dump(mode="json"), case=case)
    return case


async def run(log: SqliteHistoryStore, case: Case, **changed: Any) -> Case:
    """Record the run of an approved case, to its end."""
    id = case.submission.id
    case = case.with_run_started(datetime(2026, 11, 21, 6, 2, tzinfo=UTC))
    limits = case.submission.draft.permissions.limits.model_dump()
    await log.append("run.started", id, ENGINE, {"sandbox": "x", "limits": limits}, case=case)
    for chunk in OUTPUT:
        await log.append_output(id, [chunk])
        attempt = {"host": "h\x1b", "port": 443, "method": "GET", "allowed": False, "why": "not granted"}
        await log.append("network.attempt", id, ENGINE, attempt)
    await log.append_artifact(id, _artifact("display-1.png", PICTURE), PICTURE)
    await log.append_artifact(id, _artifact("../a", LEFT), LEFT)
    ended = result(**changed)
    case = case.with_result(ended)
    await log.append("run.ended", id, ENGINE, ended.model_dump(mode="json"), case=case)
    return case


async def approved_run(log: SqliteHistoryStore, id: str = "s1", code: str = "print('ü\x1b')") -> Case:
    """Record a submission that two reviewers approved, among events of others, with its run."""
    case = await submit(log, new_case(id, code))
    await log.append("history.viewed", "", Untrusted("alice"), {"n": 1})
    case = await first_approval(log, case, "alice")
    case = await decide(log, case, "bob", DecisionOutcome.APPROVED)
    case = await run(log, case)
    await log.append("history.viewed", id, Untrusted("alice"), {})
    return case


async def members_of(log: SqliteHistoryStore, id: str = "s1") -> Members:
    """Return the members of a case file."""
    return case_verify.unpacked(await log.case_file(id))


async def story(log: SqliteHistoryStore, status: str) -> Case:
    """Record the submission `s1` up to where it has this status."""
    case = await submit(log, new_case())
    if status == "pending":
        return case
    if status in {"denied", "expired", "refused"}:
        return await decide(log, case, "nobody", DecisionOutcome(status))
    case = await decide(log, case, "bob", DecisionOutcome.APPROVED)
    if status == "queued":
        return case
    if status == "interrupted":
        nothing = {"stdout_bytes": 0, "stderr_bytes": 0, "artifacts": (), "displays": (), "exit_code": None}
        return await run(log, case, kill_reason=KillReason.INTERRUPTED, **nothing)
    if status == "killed":
        return await run(log, case, kill_reason=KillReason.MEMORY, exit_code=None)
    return await run(log, case)
