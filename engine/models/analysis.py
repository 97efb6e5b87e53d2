"""Models of the static analysis: violations and predicted effects."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator
from typing_extensions import Self

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Level

LibraryName = Annotated[str, Field(pattern=r"^[a-z]{1,40}$")]


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

    def with_severity(self, severity: Level, why: str, related: tuple[Span, ...]) -> Violation:
        """Return the violation with another severity and its reason, for all these places."""
        return self._with(severity=severity, why=why, related=related)

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


class Verdict(StrEnum):
    """What the analysis as a whole says about code."""

    HARMLESS = "harmless"
    """Proven to do nothing outside itself but read its input files, print, and use memory and time."""
    UNPROVEN = "unproven"
    VIOLATIONS = "violations"
    """At least one violation is MEDIUM or worse."""


class Unproven(FrozenModel):
    """A place of the code that the proof does not cover, and why."""

    span: Span
    reason: Untrusted
    writes: str = Field("", pattern=r"^(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\.[a-z]{3,4})?$")
    """The one file of the workspace that this place writes, if that is proven: a plain name."""


class Analysis(FrozenModel):
    """All violations of a submission, its predicted effects, and the verdict."""

    violations: tuple[Violation, ...] = ()
    effects: tuple[PredictedEffect, ...] = ()
    complete: bool = True
    """False where something could not be analysed: the policy then rates it HIGH at least."""
    seconds: float = 0.0
    verdict: Verdict = Verdict.UNPROVEN
    unproven: tuple[Unproven, ...] = ()
    """What the proof does not cover: bounded, and empty where no proof was tried."""
    trusts: tuple[LibraryName, ...] = ()
    """Libraries whose compiled code a proof takes for sound, such as `numpy`; empty without a proof."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        """Refuse the word `harmless` beside anything that contradicts it."""
        if self.verdict is Verdict.HARMLESS and (self.unproven or self.is_grave or not self.complete):
            raise ValueError("code with violations, or that is not fully analysed, is not proven harmless")
        return self

    @property
    def is_grave(self) -> bool:
        """Whether a violation is MEDIUM or worse. LOW ones are facts, such as an import."""
        return any(violation.severity.rank >= Level.MEDIUM.rank for violation in self.violations)

    @property
    def writes(self) -> tuple[str, ...]:
        """The files of the workspace that the code writes, if it is proven to do nothing else; else empty."""
        names = dict.fromkeys(place.writes for place in self.unproven)
        proven = self.verdict is Verdict.UNPROVEN and self.complete and not self.is_grave and all(names)
        return tuple(names) if proven else ()

    @property
    def writes_only_workspace(self) -> bool:
        """Whether the code is proven harmless but for files of its workspace that it writes, if any."""
        return self.verdict is Verdict.HARMLESS or bool(self.writes)

    def trusting(self, libraries: tuple[str, ...]) -> Analysis:
        """Return the analysis as one whose proof, if there is one, takes these libraries for sound."""
        return self._with(trusts=libraries) if libraries and self.writes_only_workspace else self

    def with_effects(self, effects: tuple[PredictedEffect, ...]) -> Analysis:
        """Return the analysis with other effects."""
        return self._with(effects=effects)

    def with_violations(self, violations: tuple[Violation, ...]) -> Analysis:
        """Return the analysis with more violations, which may change the verdict."""
        return self._with(violations=(*self.violations, *violations), verdict=Verdict.UNPROVEN).judged(
            self.unproven, proven=self.verdict is Verdict.HARMLESS
        )

    def judged(self, unproven: tuple[Unproven, ...], *, proven: bool) -> Analysis:
        """Return the analysis with its verdict. Violations, and what was not analysed, outweigh a proof."""
        if self.is_grave:
            verdict = Verdict.VIOLATIONS
        elif proven and self.complete and not unproven:
            verdict = Verdict.HARMLESS
        else:
            verdict = Verdict.UNPROVEN
        return self._with(verdict=verdict, unproven=unproven)

    def refused(self, reason: str) -> Analysis:
        """Return the analysis without a proof, for one more reason, which is about all of the code."""
        everywhere = Span(line=1, column=1, end_line=1, end_column=1)
        more = Unproven(span=everywhere, reason=Untrusted(reason))
        return self.judged((*self.unproven, more), proven=False)

    def with_seconds(self, seconds: float) -> Analysis:
        """Return the analysis with the time that it took."""
        return self._with(seconds=seconds)


class CommandCheck(FrozenModel):
    """What the analysis and the policy say about a command that would run outside of a sandbox."""

    analysis: Analysis
    refused: Untrusted
    """Why the policy or a block refuses it, whatever it does; empty where neither does."""
    held: Untrusted
    """Why a person has to decide, although it may be proven harmless; empty where nobody has to."""
