"""The examples that rules carry, and those that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.common.file_faults import Fault, Place
from engine.common.strict_yaml import Path_
from engine.common.text import Untrusted
from engine.models import (
    Certainty,
    Confidence,
    Level,
    Limits,
    Package,
    Permissions,
    PredictedEffect,
    Span,
    Violation,
)
from engine.policy.files.schema import Example, PolicySpec
from engine.policy.policy import PolicyRule, compile_rule
from engine.policy.request_facts import RequestFacts

_LINE = Span(line=1, column=1, end_line=1, end_column=1)


def failures(spec: PolicySpec, place: Callable[[Path_], Place]) -> tuple[Fault, ...]:
    """Return a fault for each example that its rule contradicts, of rules that are off as well."""
    return tuple(
        fault for rule in spec.rules for fault in _failures(compile_rule(rule, place((rule.id, "id"))), place)
    )


def _failures(rule: PolicyRule, place: Callable[[Path_], Place]) -> Iterator[Fault]:
    for key, wanted in (("match", True), ("not_match", False)):
        for number, example in enumerate(getattr(rule.spec, key)):
            if (rule.reasons(facts_of(example)) is not None) is not wanted:
                problem = "should match and does not" if wanted else "should not match and does"
                message = f"`{rule.spec.id}`: example {number + 1} of `{key}` {problem}"
                yield Fault(place((rule.spec.id, key, number)), message)


def facts_of(example: Example) -> RequestFacts:
    """Return the facts that an example describes."""
    return RequestFacts(
        operation=example.operation,
        code=example.code,
        language=example.language,
        path=example.path,
        executable=example.executable,
        permissions=_permissions(example),
        violations=tuple(_violation(one.severity, one.category, one.rule) for one in example.violations),
        effects=tuple(
            PredictedEffect(kind=kind, value=Untrusted(""), certainty=Certainty.UNKNOWN, lines=(1,))
            for kind in example.effects
        ),
        complete=not example.incomplete,
        proven=example.proven and not example.incomplete,
        writes_only_workspace=(example.proven or example.writes_only_workspace) and not example.incomplete,
        trusts=tuple(example.trusts),
        weaker_runtime=example.weaker_runtime,
        requester=example.requester,
    )


def _permissions(example: Example) -> Permissions:
    given = {name: value for name, value in example.limits if value is not None}
    return Permissions(
        domains=tuple(Untrusted(name) for name in example.domains),
        packages=tuple(
            Package(
                name=Untrusted(one.name), version=Untrusted(one.version), registry=Untrusted(one.registry)
            )
            for one in example.packages
        ),
        files=tuple(Untrusted(name) for name in example.files),
        secrets=tuple(Untrusted(name) for name in example.secrets),
        builds=tuple(Untrusted(name) for name in example.builds),
        limits=Limits.model_validate(given),
        session=example.session,
    )


def _violation(severity: Level, category: str, rule: str) -> Violation:
    return Violation(
        rule=rule,
        severity=severity,
        confidence=Confidence.HIGH,
        category=category,
        span=_LINE,
        message=Untrusted(rule),
    )
