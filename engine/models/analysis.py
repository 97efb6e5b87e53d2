"""What the analysis says."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Level


class Span(FrozenModel):
    """A stretch of code. Lines and columns count from 1, columns in characters; the end is exclusive."""

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


class Analysis(FrozenModel):
    """All violations of a submission and its predicted effects."""

    violations: tuple[Violation, ...] = ()
    effects: tuple[PredictedEffect, ...] = ()
    complete: bool = True
    """False where something could not be analysed: the policy then rates it HIGH at least."""
    seconds: float = 0.0
