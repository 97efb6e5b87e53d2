"""The facts that policy rules test, about one submission or one operation."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from engine.models import (
    Analysis,
    Draft,
    Language,
    Limits,
    Operation,
    OperationKind,
    Permissions,
    PredictedEffect,
    Verdict,
    Violation,
)


class PermissionKind(StrEnum):
    """The kinds of permissions. A limit counts as requested where it exceeds the default."""

    DOMAINS = "domains"
    PACKAGES = "packages"
    FILES = "files"
    SECRETS = "secrets"
    BUILDS = "builds"
    SESSION = "session"
    MEMORY = "memory"
    CPU = "cpu"
    TIME = "time"
    DISK = "disk"
    OUTPUT = "output"
    PROCESSES = "processes"


LIMIT_OF = {
    PermissionKind.MEMORY: "memory_mb",
    PermissionKind.CPU: "cpus",
    PermissionKind.TIME: "seconds",
    PermissionKind.DISK: "disk_mb",
    PermissionKind.OUTPUT: "output_kb",
    PermissionKind.PROCESSES: "processes",
}
KINDS = ("domains", "packages", "files", "secrets", "builds")
DEFAULT_LIMITS = Limits()
NO_PERMISSIONS = Permissions()


@dataclass(frozen=True)
class RequestFacts:
    """Everything that a rule may test."""

    operation: OperationKind = OperationKind.RUN
    code: str = ""
    language: Language | None = None
    path: str = ""
    executable: bool = False
    permissions: Permissions = NO_PERMISSIONS
    violations: tuple[Violation, ...] = ()
    effects: tuple[PredictedEffect, ...] = ()
    complete: bool = True
    proven: bool = False
    """Whether the code is proven harmless."""
    writes_only_workspace: bool = False
    """Whether the code is proven harmless but for plain files of its workspace that it writes, if any."""
    trusts: tuple[str, ...] = ()
    """The libraries whose compiled code the proof takes for sound."""
    weaker_runtime: bool = False
    requester: str = ""
    """The identity of who submits; empty where nobody says."""
    known: dict[int, tuple[object, tuple[str, ...] | None]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """By the id of a rule, the rule and its result: each is tried once, however many policies contain it.

    The rule is kept because the id of an object that is gone may be another object's.
    """

    @cached_property
    def lines(self) -> int:
        """How many lines of code there are."""
        return self.code.count("\n") + (not self.code.endswith("\n"))

    @cached_property
    def asked(self) -> dict[PermissionKind, tuple[str, ...]]:
        """What is asked for, in words, by kind; a kind that is not asked for is absent."""
        return dict(_asked(self.permissions))


def of_submission(
    draft: Draft, analysis: Analysis, *, weaker_runtime: bool = False, requester: str = ""
) -> RequestFacts:
    """Return the facts about code that asks to run, or about the tool call that a draft is."""
    call = draft.operation
    return RequestFacts(
        operation=call.kind if call else OperationKind.RUN,
        path=call.path.text if call else "",
        executable=call is not None and call.executable,
        code=draft.code.text,
        language=draft.language,
        permissions=merge_permissions(draft.permissions, call.permissions) if call else draft.permissions,
        violations=analysis.violations,
        effects=analysis.effects,
        complete=analysis.complete,
        proven=analysis.verdict is Verdict.HARMLESS,
        writes_only_workspace=analysis.writes_only_workspace,
        trusts=analysis.trusts,
        weaker_runtime=weaker_runtime,
        requester=requester,
    )


def of_operation(operation: Operation, *, weaker_runtime: bool = False) -> RequestFacts:
    """Return the facts about one tool call."""
    return RequestFacts(
        operation=operation.kind,
        path=operation.path.text,
        executable=operation.executable,
        permissions=operation.permissions,
        weaker_runtime=weaker_runtime,
    )


def merge_permissions(one: Permissions, other: Permissions) -> Permissions:
    """Return everything that either requests."""
    if other in (NO_PERMISSIONS, one):
        return one
    kinds = {kind: (*getattr(one, kind), *getattr(other, kind)) for kind in KINDS}
    bounds = (one.limits, other.limits)
    limits = {name: max(getattr(bound, name) for bound in bounds) for name in Limits.model_fields}
    return Permissions(**kinds, limits=Limits(**limits), session=one.session or other.session)


def _asked(wanted: Permissions) -> list[tuple[PermissionKind, tuple[str, ...]]]:
    if wanted == NO_PERMISSIONS:
        return []
    named = {
        PermissionKind.DOMAINS: tuple(domain.text for domain in wanted.domains),
        PermissionKind.PACKAGES: tuple(package.name.text for package in wanted.packages),
        PermissionKind.FILES: tuple(file.text for file in wanted.files),
        PermissionKind.SECRETS: tuple(secret.text for secret in wanted.secrets),
        PermissionKind.BUILDS: tuple(package.text for package in wanted.builds),
        PermissionKind.SESSION: ("a session that stays",) if wanted.session else (),
    }
    return [(kind, values) for kind, values in named.items() if values] + _limits(wanted.limits)


def _limits(wanted: Limits) -> list[tuple[PermissionKind, tuple[str, ...]]]:
    if wanted == DEFAULT_LIMITS:
        return []
    asked = [(kind, name, getattr(wanted, name)) for kind, name in LIMIT_OF.items()]
    return [(kind, (f"{name} {v:g}",)) for kind, name, v in asked if v > getattr(DEFAULT_LIMITS, name)]
