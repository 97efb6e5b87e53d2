"""A synthetic submission and its run, as models and as events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from engine.common.text import Untrusted
from engine.history.events.blocks import MeterBlock, OutputBlock
from engine.history.exports.case_verify import COUNT, canonical, digest
from engine.history.store.sql.ledger import ENGINE
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Certainty,
    Decision,
    DecisionOutcome,
    Draft,
    EffectKind,
    Grant,
    KillReason,
    Language,
    Level,
    Meters,
    Permissions,
    PredictedEffect,
    Principal,
    Result,
    Status,
    Stream,
    Submission,
)
from engine.models.observed import ObservedEffect, ObservedKind

SyntheticEvent = tuple[str, str, dict[str, Any]]
"""Type, actor and data of an event."""

_GAPS = ("\u241f-code", "\u241f-host", "\u241f-purpose", "\u241f-requester")
"""In the order of the canonical JSON of a submission."""


def digest_for(code: str, language: Language, requester: str, host: str, purpose: str) -> str:
    """Return the digest of a submission that asks for one host."""
    values = (code, host, purpose, requester)
    parts = _around(language)
    text = "".join(part + _json(value) for part, value in zip(parts, values, strict=False)) + parts[-1]
    return digest(text.encode())


@cache
def _around(language: Language) -> tuple[str, ...]:
    """Return the canonical JSON of such a submission around its code, host, purpose and requester."""
    code, host, purpose, requester = _GAPS
    draft = _draft(code, language, host, purpose).model_dump(mode="json")
    rest, parts = canonical({**draft, "requester": requester}), []
    for gap in _GAPS:
        before, _, rest = rest.partition(_json(gap))
        parts.append(before)
    return (*parts, rest)


def _draft(code: str, language: Language, host: str, purpose: str) -> Draft:
    permissions = Permissions(domains=(Untrusted(host),))
    return Draft(code=Untrusted(code), language=language, permissions=permissions, purpose=Untrusted(purpose))


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class SyntheticCase:
    """A submission at its end. `wait` is the time to its decision, `seconds` that of its run."""

    id: str
    at: datetime
    wait: timedelta
    risk: Level
    language: Language
    outcome: DecisionOutcome
    kill: KillReason
    requester: str
    reviewer: str
    seconds: float
    code: str
    code_digest: str
    digest: str
    """Of the submission: see `digest_for`."""
    output_digest: str
    output_size: int
    host: str
    """That it asked for, and that its run contacted."""
    path: str
    """That its run wrote."""
    purpose: str

    @property
    def ran(self) -> bool:
        """Whether there was a run."""
        return self.outcome is DecisionOutcome.APPROVED

    def case(self) -> Case:
        """Return it as a case."""
        draft = _draft(self.code, self.language, self.host, self.purpose)
        asked = Principal(name=Untrusted(self.requester))
        return Case(
            submission=Submission(
                id=self.id, draft=draft, requester=asked, submitted_at=self.at, digest=self.digest
            ),
            status=self._status(),
            analysis=Analysis(effects=(self._predicted(),), seconds=0.01),
            assessment=Assessment(risk=self.risk, matches=(), deadline_seconds=60),
            decision=self._decision(),
            result=self._result() if self.ran else None,
        )

    def events(self, state: str) -> Iterator[SyntheticEvent]:
        """Yield its events, the last of which carries the digest of the case."""
        decided = "decision.expired" if self.outcome is DecisionOutcome.EXPIRED else "decision.made"
        digest = self.digest
        events: list[SyntheticEvent] = [
            (
                "submission.created",
                self.requester,
                {"digest": digest, "language": self.language.value, "purpose": self.purpose},
            ),
            ("submission.analysed", ENGINE, {"rules": [], "complete": True, "seconds": 0.01}),
            ("submission.assessed", ENGINE, {"risk": self.risk.value, "rules": []}),
        ]
        if self.outcome is not DecisionOutcome.EXPIRED:
            events.append(("claim.created", self.reviewer, {}))
        events.append((decided, self.reviewer, self._decision().model_dump(mode="json")))
        if self.ran:
            events += self._run()
        events[-1][2].update({"case_sha256": state, COUNT: len(events)})
        yield from events

    def _run(self) -> list[SyntheticEvent]:
        sample = Meters(at=0.5, cpu=0.5, memory=1 << 24, memory_peak=1 << 24, processes=1)
        size = self.output_size
        block = OutputBlock(digest=self.output_digest, size=size, chunks=((Stream.STDOUT, 0.1, 0, size),))
        limits = Draft(code=Untrusted(""), language=self.language).permissions.limits
        return [
            ("sandbox.acquired", ENGINE, {"sandbox": "made-up", "image": "made-up", "runtime": "runsc"}),
            ("run.started", ENGINE, {"sandbox": "made-up", "limits": limits.model_dump(mode="json")}),
            ("network.attempt", ENGINE, self._attempt()),
            ("run.effects", ENGINE, {"effects": [self._effect().model_dump(mode="json")]}),
            ("run.output", ENGINE, block.model_dump(mode="json")),
            ("run.meters", ENGINE, MeterBlock(samples=(sample,)).model_dump(mode="json")),
            ("sandbox.destroyed", ENGINE, {"sandbox": "made-up", "gone": True}),
            ("run.ended", ENGINE, self._result().model_dump(mode="json")),
        ]

    def _attempt(self) -> dict[str, Any]:
        return {"host": self.host, "port": 443, "method": "CONNECT", "allowed": True, "why": "granted"}

    def _predicted(self) -> PredictedEffect:
        return PredictedEffect(
            kind=EffectKind.HOST, value=Untrusted(self.host), certainty=Certainty.EXACT, lines=(1,)
        )

    def _effect(self) -> ObservedEffect:
        return ObservedEffect(
            number=0, kind=ObservedKind.WRITE, target=Untrusted(self.path), process=Untrusted("python3")
        )

    def _status(self) -> Status:
        if not self.ran:
            return Status(self.outcome.value)
        return Status.FINISHED if self.kill is KillReason.NONE else Status.KILLED

    def _decision(self) -> Decision:
        by = Principal(name=Untrusted(self.reviewer))
        permissions = Permissions(domains=(Untrusted(self.host),))
        return Decision(
            submission=self.id,
            digest=self.digest,
            outcome=self.outcome,
            by=by,
            at=self.at + self.wait,
            grant=Grant(permissions=permissions) if self.ran else None,
        )

    def _result(self) -> Result:
        return Result(
            exit_code=0 if self.kill is KillReason.NONE else None,
            kill_reason=self.kill,
            duration=self.seconds,
            memory_peak=1 << 24,
            stdout_bytes=self.output_size,
            stderr_bytes=0,
            truncated=False,
            image_digest="made-up",
            runtime="runsc",
        )
