"""Models of the static analysis: violations and predicted effects."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Level


class Span(FrozenModel):
    """A range of code. Lines and columns count from 1, columns in characters; the end is exclusive."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)
    end_line: int = Field(ge=1)
    end_column: int = Field(ge=1)


class Confidence(StrEnum):
    """How sure a rule is that the construct is what it says."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Evidence(FrozenModel):
    """One step of the chain from where a value came from to where it is used."""

    span: Span
    text: Untrusted


class Violation(FrozenModel):
    """One finding of the static analysis."""

    rule: str
    severity: Level
    confidence: Confidence
    category: str
    span: Span
    message: Untrusted
    attack: str = ""
    """What an attacker does with it."""
    why: str = ""
    """Why the severity is not higher or lower."""
    fix: str = ""
    cwe: int | None = None
    owasp: str | None = None
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Span, ...] = ()
    """Other places of the same construct, grouped into this violation."""
    layers: tuple[str, ...] = ()
    """What was decoded to find it, outermost first: `base64`, `zlib`, `exec`, `shell`."""

    def with_severity(self, severity: Level, related: tuple[Span, ...]) -> Violation:
        """Return the violation with another severity, for all these places."""
        return self._with(severity=severity, related=related)

    def within(self, layers: tuple[str, ...]) -> Violation:
        """Return the violation as found below these layers."""
        return self._with(layers=(*layers, *self.layers))

    def moved(
        self, span: Span, related: tuple[Span, ...], evidence: tuple[Evidence, ...], message: Untrusted
    ) -> Violation:
        """Return the violation at other places: those of the code around it."""
        return self._with(span=span, related=related, evidence=evidence, message=message)


class Certainty(StrEnum):
    """How precisely the value of a predicted effect is known."""

    EXACT = "exact"
    PATTERN = "pattern"
    UNKNOWN = "unknown"


class EffectKind(StrEnum):
    """The kinds of effects that code can have outside itself."""

    HOST = "host"
    URL = "url"
    PORT = "port"
    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    ENVIRONMENT = "environment"
    MODULE = "module"
    PACKAGE = "package"
    SIZE = "size"


class PredictedEffect(FrozenModel):
    """One effect that the code is predicted to have, and the lines that cause it."""

    kind: EffectKind
    value: Untrusted
    certainty: Certainty
    lines: tuple[int, ...]
    note: str = ""

    def at_lines(self, lines: tuple[int, ...]) -> PredictedEffect:
        """Return the effect as caused by other lines."""
        return self._with(lines=lines)

    def with_kind(self, kind: EffectKind, note: str) -> PredictedEffect:
        """Return the effect as one of another kind, and why it is."""
        return self._with(kind=kind, note=note)

    def with_note(self, note: str) -> PredictedEffect:
        """Return the effect with another note."""
        return self._with(note=note)


class Analysis(FrozenModel):
    """All violations of a submission and its predicted effects."""

    violations: tuple[Violation, ...] = ()
    effects: tuple[PredictedEffect, ...] = ()
    complete: bool = True
    """False where something could not be analysed: the policy then rates it HIGH at least."""
    seconds: float = 0.0

    def with_effects(self, effects: tuple[PredictedEffect, ...]) -> Analysis:
        """Return the analysis with other effects."""
        return self._with(effects=effects)

    def with_violations(self, violations: tuple[Violation, ...]) -> Analysis:
        """Return the analysis with more violations."""
        return self._with(violations=(*self.violations, *violations))

    def with_seconds(self, seconds: float) -> Analysis:
        """Return the analysis with the time that it took."""
        return self._with(seconds=seconds)
