"""The schema of policy files. Unknown keys and values of another type are errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

import re2
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from engine.common import hosts
from engine.models import EffectKind, Language, Level, OperationKind
from engine.models.observed import SurpriseAction, SurpriseReport
from engine.policy.request_facts import PermissionKind

MAX_PATTERN = 1000
MIN_DEADLINE, MAX_DEADLINE = 0.1, 7 * 86400.0
RULE_ID = r"^[a-z][a-z0-9-]{0,63}$"


class Part(BaseModel):
    """A part of a policy file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


def _one_or_more(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else (value,)


def _of(kind: type[StrEnum], what: str) -> Callable[[Any], Any]:
    def known(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            raise ValueError(f"`{value}` is no {what}; known are {', '.join(kind)}") from None

    return known


def _domain(value: str) -> str:
    if fault := hosts.pattern_error(value):
        raise ValueError(fault)
    return value


def _bounded(value: str) -> str:
    if len(value) > MAX_PATTERN:
        raise ValueError(f"a regular expression is at most {MAX_PATTERN} characters")
    try:
        compile_pattern(value)
    except re2.error as error:
        detail = error.args[0]
        detail = detail.decode(errors="replace") if isinstance(detail, bytes) else detail
        raise ValueError(f"not a regular expression of RE2, which cannot run away: {detail}") from None
    return value


def compile_pattern(pattern: str) -> Any:
    """Return a compiled expression that takes time linear in the text, and little memory.

    Raises:
        re2.error: it is none, or needs look-around or back-references.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    return re2.compile(pattern, options)


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"`{value}` is no deadline: write seconds; there is no `never`")
    if not MIN_DEADLINE <= value <= MAX_DEADLINE:
        raise ValueError(f"{value:g} s is no deadline: {MIN_DEADLINE:g} to {MAX_DEADLINE:g} s")
    return float(value)


def _decided_level(value: Any) -> Level:
    level = Level(_of(Level, "risk")(value))
    if level is Level.LOW:
        raise ValueError("`low` has no deadline: it is approved at once")
    return level


Levels = Annotated[Level, BeforeValidator(_of(Level, "risk"))]
OperationKinds = Annotated[OperationKind, BeforeValidator(_of(OperationKind, "operation"))]
Languages = Annotated[Language, BeforeValidator(_of(Language, "language"))]
PermissionKinds = Annotated[PermissionKind, BeforeValidator(_of(PermissionKind, "permission"))]
EffectKinds = Annotated[EffectKind, BeforeValidator(_of(EffectKind, "effect"))]
Domain = Annotated[str, AfterValidator(_domain)]
Pattern = Annotated[str, AfterValidator(_bounded)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Yes = Literal[True]
Count = Annotated[int, Field(ge=0)]
T = TypeVar("T")
Several = Annotated[tuple[T, ...], BeforeValidator(_one_or_more)]
"""One, or a list of them."""


class LimitsOver(Part):
    """Bounds; asking for more of any of them matches."""

    memory_mb: float | None = None
    cpus: float | None = None
    seconds: float | None = None
    disk_mb: float | None = None
    output_kb: float | None = None
    processes: float | None = None


class ViolationIs(Part):
    """Which violations match: of this severity or higher, of one of the categories, of one of the rules."""

    severity: Levels = Level.LOW
    category: Several[str] = ()
    rule: Several[str] = ()


class When(Part):
    """What must hold, all of it, for a rule to match."""

    operation: Several[OperationKinds] | None = None
    """What is done."""
    language: Several[Languages] | None = None
    code: Pattern | None = None
    """A regular expression (RE2) found in the code."""
    lines_over: Count | None = None
    lines_under: Count | None = None
    executable: bool | None = None
    """Whether a file that is written may be executed."""
    weaker_runtime: Yes | None = None
    incomplete: Yes | None = None
    """The analysis could not read or judge all of it."""
    violation: ViolationIs | None = None
    predicts: Several[EffectKinds] | None = None
    requests: Several[PermissionKinds] | None = None
    """Any of these permissions is requested."""
    domains_among: Several[Domain] | None = None
    """A domain is requested that is on this list, or a wildcard that contains one."""
    domains_outside: Several[Domain] | None = None
    """A domain is requested that is not on this list."""
    registries_outside: Several[str] | None = None
    """A package is requested from a registry that is not on this list and not the image's own."""
    limits_over: LimitsOver | None = None
    proven: Yes | None = None
    """For rules that lower: the code is proven harmless."""
    writes_only_workspace: Yes | None = None
    """For rules that lower: it is proven harmless but for files that it writes in its workspace, if any."""
    trusts_only: Several[str] | None = None
    """For rules that lower: a proof takes the compiled code of no other libraries for sound."""
    requester: Several[str] | None = None
    """For rules that lower: one of these submits, by identity: `token:ID`, or `uid:N NAME` at the socket."""
    no_violation: Levels | None = None
    """For rules that lower: there is no violation of this severity or higher."""
    requests_only: Several[PermissionKinds] | None = None
    """For rules that lower: only these permissions are requested."""
    predicts_only: Several[EffectKinds] | None = None
    """For rules that lower: no other effects are predicted."""


RAISING = frozenset(
    {"incomplete", "weaker_runtime", "violation", "predicts", "requests", "domains_among", "domains_outside",
     "registries_outside", "limits_over"}
)  # fmt: skip
LOWERING = frozenset(
    {
        "proven",
        "writes_only_workspace",
        "trusts_only",
        "requester",
        "no_violation",
        "requests_only",
        "predicts_only",
    }
)


class ExamplePackage(Part):
    """A package in an example."""

    name: str
    version: str = "1.0"
    registry: str = ""


class ExampleViolation(Part):
    """A violation in an example."""

    severity: Levels
    category: str = ""
    rule: str = "example"


class Example(Part):
    """A submission or a tool call that a rule must match, or must not."""

    operation: OperationKinds = OperationKind.RUN
    code: str = ""
    language: Languages = Language.PYTHON
    path: str = ""
    executable: bool = False
    weaker_runtime: bool = False
    incomplete: bool = False
    proven: bool = False
    writes_only_workspace: bool = False
    trusts: Several[str] = ()
    requester: str = ""
    domains: Several[str] = ()
    packages: Several[ExamplePackage] = ()
    files: Several[str] = ()
    secrets: Several[str] = ()
    builds: Several[str] = ()
    session: bool = False
    limits: LimitsOver = LimitsOver()
    violations: Several[ExampleViolation] = ()
    effects: Several[EffectKinds] = ()


class RuleSpec(Part):
    """A rule as merged from all policy files."""

    id: Annotated[str, Field(pattern=RULE_ID)]
    enabled: bool = True
    risk: Levels | None = None
    refuse: bool = False
    """The submission is refused without a review."""
    lowers: Several[str] = ()
    """Rules whose matches count as this rule's risk where this one matches too."""
    reason: str = ""
    when: When
    match: Several[Example] = ()
    not_match: Several[Example] = ()


def _by_level(value: Any) -> Any:
    """Return actions by severity; one word is what happens from HIGH on."""
    return value if isinstance(value, dict) else {"high": value}


SurpriseActions = Annotated[
    dict[Levels, Annotated[SurpriseAction, BeforeValidator(_of(SurpriseAction, "action"))]],
    BeforeValidator(_by_level),
]


SurpriseReports = Annotated[SurpriseReport, BeforeValidator(_of(SurpriseReport, "report for agents"))]


class RehearseSpec(Part):
    """What is rehearsed beside what a reviewer rehearses."""

    on_request: bool = False
    """Requesters may rehearse their own submissions."""
    always_for: Levels | None = None
    """Submissions of this risk or higher are rehearsed when they come in."""


def _rehearse(value: Any) -> Any:
    return {"on_request": True} if value == "on_request" else value


class PolicySpec(Part):
    """Everything that policy files say, taken together."""

    include: Several[str] = ()
    deadlines: dict[Annotated[Level, BeforeValidator(_decided_level)], Seconds] = {}
    on_surprise: SurpriseActions = {}
    """What happens to a run at a surprise of this severity or higher; otherwise it is recorded."""
    surprises_for_agent: SurpriseReports = SurpriseReport.NONE
    """What the result of a run tells its agent of the surprises."""
    observed: Literal["required", "optional"] = "optional"
    """Whether code runs only where its effects are observed."""
    rehearse: Annotated[RehearseSpec, BeforeValidator(_rehearse)] = RehearseSpec()
    """Who may rehearse beside reviewers, and what is rehearsed by itself."""
    rules: Several[RuleSpec] = ()
