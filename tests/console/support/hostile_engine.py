"""An engine in which every text that an agent or a guest can write is hostile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from pydantic import BaseModel

from engine.common.text import Untrusted
from engine.models import (
    Artifact,
    Assignment,
    Case,
    Certainty,
    Check,
    Claim,
    CommentReply,
    Decision,
    DecisionOutcome,
    Display,
    EffectKind,
    Erasure,
    Evidence,
    Grant,
    InputFile,
    KillReason,
    Level,
    LineComment,
    Operation,
    OperationKind,
    Package,
    Permissions,
    PredictedEffect,
    Principal,
    Status,
    Stream,
    Unproven,
)
from engine.models.lines import LineMark, RunLines
from engine.models.observed import (
    EffectMatch,
    Observation,
    ObservationStatus,
    ObservedEffect,
    ObservedKind,
    Relation,
    RunEffects,
)
from engine.models.rehearsal import Contact, FindingKind, Rehearsal, RehearsalFinding
from engine.models.snapshot import KernelSnapshot, OpenDescriptor, RunSnapshot, SnapshotProcess
from tests.console.support.fake_engine import FakeEngine, case, chunk, event, result, span, violation


def hostile(*payloads: str) -> FakeEngine:
    """Return an engine in which every text that an agent or a guest can write is one of `payloads`."""
    pending = [_waiting(f"s-waiting-{index}", payload) for index, payload in enumerate(payloads)]
    ended = [_ended(f"s-ended-{index}", payload, pending[0]) for index, payload in enumerate(payloads)]
    engine = FakeEngine(*pending, _tool_call(payloads[0]), *reversed(ended))
    engine.checks = tuple(
        Check(name="docker", ok=False, detail=Untrusted(each), hint="x") for each in payloads
    )
    every = "\n".join(payloads)
    engine.responses.text = Untrusted(payloads[0])
    engine.figures = engine.figures.model_copy(
        update={
            "submissions": 9,
            "busiest": dict.fromkeys(payloads, 3),
            "kills_by_hour": {"AAA": {"memory": 1}},
        }
    )
    engine.proof = engine.proof.model_copy(
        update={"kernel": Untrusted(payloads[0]), "detail": Untrusted(every)}
    )
    engine.retained = (Erasure(what="file", digest="0" * 64, rule="size", name=Untrusted(payloads[0])),)
    for waiting, payload in zip(pending, payloads, strict=True):
        known = waiting.submission.id
        engine.rehearsals_of[known] = hostile_rehearsal(known, payload)
    engine.rehearsed.set()
    for each in ended:
        id = each.submission.id
        engine.effects_of[id] = _effects(payloads[0])
        engine.looks[id] = _look(payloads[0])
        engine.lines_of[id] = RunLines(marks=(LineMark(1, 10**10 - 1, 10**10 - 1, 10**10 - 1),), hits_limit=1)
        engine.files[(id, each.submission.requester.name.text)] = every.encode("utf-8", "surrogatepass")
        engine.written[id] = [chunk(every + "\n"), chunk(payloads[0], Stream.STDERR)]
        engine.events_of[id] = tuple(event(1, "run.ended", id, {each: each}, by=each) for each in payloads)
    return engine


def untrusted_fields(model: type[BaseModel], values: list[Any]) -> set[str]:
    """Return the fields of untrusted text within a model; of `values` only those that are hostile."""
    found = set[str]()
    for name, field in model.model_fields.items():
        inner = [getattr(value, name) for value in values]
        inner = [one for each in inner for one in (each if isinstance(each, tuple) else (each,))]
        for kind in _kinds(field.annotation):
            if kind is Untrusted:
                hostile_ones = any("AAA" in getattr(one, "text", "") for one in inner)
                found |= {f"{model.__name__}.{name}"} if hostile_ones or not values else set()
            elif isinstance(kind, type) and issubclass(kind, BaseModel):
                some = [one for one in inner if isinstance(one, kind)]
                found |= untrusted_fields(kind, some) if some or not values else set()
    return found


def _kinds(annotation: Any) -> Iterator[Any]:
    arguments = get_args(annotation)
    for one in arguments:
        yield from _kinds(one)
    if not arguments:
        yield annotation


def _waiting(id: str, payload: str) -> Case:
    text = Untrusted(payload)
    package = Package(name=text, version=text, registry=text, place=text)
    wanted = Permissions(domains=(text,), packages=(package,), secrets=(text,), files=(text,), builds=(text,))
    found = violation(span(1, 1, 4), payload).model_copy(
        update={"evidence": (Evidence(span=span(1, 1, 4), text=text),)}
    )
    made = case(
        id, payload + "\nprint(1)", who=payload, purpose=payload, wanted=wanted,
        violations=(found,),
        effects=(PredictedEffect(
            kind=EffectKind.HOST, value=text, certainty=Certainty.EXACT, lines=(1,)
        ),),
        files=(InputFile(name=text, content=payload.encode("utf-8", "surrogatepass")),),
    )  # fmt: skip
    match = made.assessment.matches[0].model_copy(update={"reason": text})
    unproven = (Unproven(span=span(1, 1, 4), reason=text),)
    return made.model_copy(
        update={
            "assessment": made.assessment.model_copy(update={"matches": (match,)}),
            "analysis": made.analysis.model_copy(update={"unproven": unproven}),
            "assigned": Assignment(to=text, by=text, at=datetime.now(UTC)),
            "claim": Claim(by=text, until=datetime.now(UTC) + timedelta(hours=1)),
        }
    )


def _effects(payload: str) -> RunEffects:
    text = Untrusted(payload)
    seen = ObservedEffect(number=1, kind=ObservedKind.WRITE, target=text, process=text, detail=text)
    beyond = EffectMatch(relation=Relation.BEYOND, kind="write", value=text, number=1, severity=Level.HIGH)
    whole = Observation(status=ObservationStatus.COMPLETE, events=1)
    return RunEffects(observation=whole, effects=(seen,), matches=(beyond,))


def _look(payload: str) -> RunSnapshot:
    text = Untrusted(payload)
    named = OpenDescriptor(number=3, name=text)
    process = SnapshotProcess(pid=2, program=text, command=text, folder=text, open=(named,))
    seen = _effects(payload).effects
    kernel = KernelSnapshot(processes=(process,), last=seen, written=seen)
    return RunSnapshot(at=1.0, paused=True, kernel=kernel, stack=text, stack_at=0.5)


def hostile_rehearsal(id: str, payload: str) -> Rehearsal:
    """Return a rehearsal in which every text that code can write is hostile."""
    text = Untrusted(payload)
    contact = Contact(number=1, at=0.1, host=text, port=80, protocol="http", method=text, path=text, sent=3,
                      excerpt=text)  # fmt: skip
    finding = RehearsalFinding(kind=FindingKind.LEAK, subject="AWS key", where=text, contact=1)
    effects = _effects(payload)
    return Rehearsal(
        submission=id, by=text, at=datetime.now(UTC), seconds=1.0, findings=(finding, finding),
        contacts=(contact, contact.model_copy(update={"number": 2})), effects=effects.effects,
        observation=effects.observation, changed=(text,), output=text, exit_code=0,
    )  # fmt: skip


def _tool_call(payload: str) -> Case:
    made = case("s-tool", "AAA", who=payload, purpose=payload)
    operation = Operation(kind=OperationKind.LIST, path=Untrusted(payload))
    draft = made.submission.draft.model_copy(update={"operation": operation, "session": "x-1"})
    return made.with_submission(made.submission.model_copy(update={"draft": draft}))


def _ended(id: str, payload: str, like: Case) -> Case:
    ended = case(id, payload, who=payload, purpose=payload, wanted=like.submission.draft.permissions)
    replies = (CommentReply(comment=0, text=Untrusted(payload[:4000])),)
    ended = ended.with_submission(
        ended.submission.with_draft(ended.submission.draft.model_copy(update={"replies": replies}))
    )
    about = LineComment(first=1, last=1, text=Untrusted(payload[:4000]), file=Untrusted(payload[:1000]),
                        suggestion=Untrusted(payload[:4000]))  # fmt: skip
    decision = Decision(
        submission=id, digest=ended.submission.digest, outcome=DecisionOutcome.APPROVED, comments=(about,),
        by=Principal(name=Untrusted(payload)),
        at=datetime.now(UTC), reason=Untrusted(payload),
        grant=Grant(permissions=ended.submission.draft.permissions),
    )  # fmt: skip
    artifact = Artifact(name=Untrusted(payload), size=3, digest="0" * 64)
    rows = Untrusted(json.dumps({"columns": [payload], "rows": [[payload]]}))
    left = result(KillReason.MEMORY, (payload,)).model_copy(
        update={
            "value": Untrusted(payload),
            "why": Untrusted(payload),
            "surprises": (Untrusted(payload),),
            "artifacts": (artifact,),
            "displays": (Display(mime="table", text=rows),),
        }
    )
    return ended.model_copy(
        update={"status": Status.KILLED, "result": left,
                "decision": decision, "started_at": datetime.now(UTC)}
    )  # fmt: skip
