"""The definition of a rule: what a reviewer is shown, and the examples that test it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.common.text import Untrusted
from engine.models import Confidence, Evidence, Language, Level, Span, Violation


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding. Its pages, its tests and its violations all come from here."""

    id: str
    """Stable and documented: `py-eval`, `sh-remote-pipe`, `text-bidi`."""
    title: str
    category: str
    severity: Level
    languages: frozenset[Language]
    attack: str
    """What an attacker does with it."""
    why: str
    """Why the severity is not higher or lower."""
    fix: str
    match: tuple[str, ...]
    """Code in which the rule must fire."""
    not_match: tuple[str, ...]
    """Code that looks alike and must stay silent."""
    confidence: Confidence = Confidence.HIGH
    cwe: int | None = None
    owasp: str | None = None

    def violation(
        self,
        span: Span,
        message: str,
        *,
        severity: Level | None = None,
        confidence: Confidence | None = None,
        evidence: tuple[Evidence, ...] = (),
        related: tuple[Span, ...] = (),
        layers: tuple[str, ...] = (),
    ) -> Violation:
        """Return a violation of this rule at `span`."""
        return Violation(
            rule=self.id,
            severity=severity or self.severity,
            confidence=confidence or self.confidence,
            category=self.category,
            span=span,
            message=Untrusted(message),
            attack=self.attack,
            why=explained(self.why, severity or self.severity),
            fix=self.fix,
            cwe=self.cwe,
            owasp=self.owasp,
            evidence=evidence,
            related=related,
            layers=layers,
        )


_LEVELS = "|".join(level.value.upper() for level in Level)
_CLAUSE = re.compile(rf"; (?=(?:{_LEVELS})\b)")


def explained(why: str, severity: Level) -> str:
    """Return why a violation has its severity, beginning with that severity's own clause."""
    name = severity.value.upper()
    if why.startswith(name):
        return why
    first, *others = _CLAUSE.split(why.rstrip("."))
    own = next((clause for clause in others if clause.startswith(name)), f"{name} in this place")
    rest = [clause for clause in (first, *others) if clause != own]
    return "; ".join((own, *rest)) + "."
