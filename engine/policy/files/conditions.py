"""The conditions of a rule, each a function from facts to the reasons for which it holds."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Container, Iterable

from engine.common.hosts import matches, matches_any
from engine.models import EffectKind, Level, Limits, Violation
from engine.policy.files.schema import LimitsOver, ViolationIs, When, compile_pattern
from engine.policy.request_facts import PermissionKind, RequestFacts

Reasons = tuple[str, ...]
Condition = Callable[[RequestFacts], Reasons | None]
"""None: it does not hold. An empty tuple: it holds, and there is nothing to add."""

SILENT: Reasons = ()
MOST_REASONS = 50


def conditions(when: When) -> tuple[Condition, ...]:
    """Return the conditions that `when` sets, the cheapest first."""
    given = ((make, getattr(when, name)) for name, make in _MAKERS.items())
    return tuple(make(value) for make, value in given if value is not None)


def _holds(value: bool) -> Reasons | None:
    return SILENT if value else None


def _reasons(reasons: Iterable[str]) -> Reasons | None:
    return tuple(reasons)[:MOST_REASONS] or None


def _among(field: str) -> Callable[[Container[object]], Condition]:
    return lambda wanted: lambda facts: _holds(getattr(facts, field) in wanted)


def _equal(field: str) -> Callable[[object], Condition]:
    return lambda wanted: lambda facts: _holds(getattr(facts, field) == wanted)


def _code(pattern: str) -> Condition:
    found = compile_pattern(pattern)
    return lambda facts: _reasons(
        _line_of(facts.code, match) for match in [found.search(facts.code)] if match
    )


def _line_of(code: str, match: object) -> str:
    start = match.start()  # type: ignore[attr-defined]
    return f"line {code.count(chr(10), 0, start) + 1}: the code matches an expression of the policy"


def _lines_over(most: int) -> Condition:
    return lambda facts: _reasons([f"{facts.lines} lines"] if facts.lines > most else [])


def _lines_under(bound: int) -> Condition:
    return lambda facts: _reasons([f"{facts.lines} lines"] if facts.lines < bound else [])


def _incomplete(wanted: bool) -> Condition:
    return lambda facts: _reasons([] if facts.complete else ["the analysis could not read all of it"])


def _weaker(wanted: bool) -> Condition:
    return lambda facts: _reasons(["it would run without gVisor"] if facts.weaker_runtime else [])


def _proven(wanted: bool) -> Condition:
    return lambda facts: _holds(facts.proven)


def _writes_only_workspace(wanted: bool) -> Condition:
    return lambda facts: _holds(facts.writes_only_workspace)


def _trusts_only(libraries: tuple[str, ...]) -> Condition:
    return lambda facts: _holds(facts.writes_only_workspace and set(facts.trusts) <= set(libraries))


def _violation(wanted: ViolationIs) -> Condition:
    least = wanted.severity.rank

    def fits(violation: Violation) -> bool:
        return (
            violation.severity.rank >= least
            and (not wanted.category or violation.category in wanted.category)
            and (not wanted.rule or any(fnmatch.fnmatchcase(violation.rule, rule) for rule in wanted.rule))
        )

    return lambda facts: _reasons(
        f"line {violation.span.line}: {violation.message.text}"
        for violation in facts.violations
        if fits(violation)
    )


def _predicts(kinds: tuple[EffectKind, ...]) -> Condition:
    return lambda facts: _reasons(
        f"is predicted to want the {effect.kind} {effect.value.text}"
        for effect in facts.effects
        if effect.kind in kinds
    )


def _requests(kinds: tuple[PermissionKind, ...]) -> Condition:
    return lambda facts: _reasons(
        f"requests {_WORDS.get(kind, '')}{value}"
        for kind, values in facts.asked.items()
        if kind in kinds
        for value in values
    )


def _domains_outside(allowed: tuple[str, ...]) -> Condition:
    return lambda facts: _reasons(
        f"requests the network: {domain.text}"
        for domain in facts.permissions.domains
        if not matches_any(allowed, domain.text)
    )


def _domains_among(listed: tuple[str, ...]) -> Condition:
    def is_listed(domain: str) -> bool:
        name = domain.lower().rstrip(".")
        return matches_any(listed, name) or any(matches(name, other) for other in listed)

    return lambda facts: _reasons(
        f"requests the network: {domain.text}"
        for domain in facts.permissions.domains
        if is_listed(domain.text)
    )


def _registries_outside(standard: tuple[str, ...]) -> Condition:
    return lambda facts: _reasons(
        f"requests {package.name.text} from a non-standard registry, {package.registry.text}"
        for package in facts.permissions.packages
        if package.registry and package.registry.text not in standard
    )


def _limits_over(bounds: LimitsOver) -> Condition:
    over = [(name, most) for name, most in bounds if most is not None]

    def asked(limits: Limits) -> Iterable[str]:
        have = ((name, getattr(limits, name), most) for name, most in over)
        return (f"requests {name} {value:g}, over {most:g}" for name, value, most in have if value > most)

    return lambda facts: _reasons(asked(facts.permissions.limits))


def _no_violation(severity: Level) -> Condition:
    return lambda facts: (
        None
        if any(violation.severity.rank >= severity.rank for violation in facts.violations)
        else ("no violation",)
    )


def _requests_only(kinds: tuple[PermissionKind, ...]) -> Condition:
    return lambda facts: None if set(facts.asked) - set(kinds) else ("no significant permission",)


def _predicts_only(kinds: tuple[EffectKind, ...]) -> Condition:
    return lambda facts: _holds(all(effect.kind in kinds for effect in facts.effects))


_WORDS = {
    PermissionKind.DOMAINS: "the network: ",
    PermissionKind.PACKAGES: "the package ",
    PermissionKind.FILES: "the file ",
    PermissionKind.SECRETS: "the secret ",
    PermissionKind.BUILDS: "running code of the package ",
}

_MAKERS: dict[str, Callable[..., Condition]] = {
    "operation": _among("operation"),
    "language": _among("language"),
    "requester": _among("requester"),
    "executable": _equal("executable"),
    "weaker_runtime": _weaker,
    "incomplete": _incomplete,
    "lines_over": _lines_over,
    "lines_under": _lines_under,
    "requests": _requests,
    "domains_among": _domains_among,
    "domains_outside": _domains_outside,
    "registries_outside": _registries_outside,
    "limits_over": _limits_over,
    "violation": _violation,
    "predicts": _predicts,
    "proven": _proven,
    "writes_only_workspace": _writes_only_workspace,
    "trusts_only": _trusts_only,
    "no_violation": _no_violation,
    "requests_only": _requests_only,
    "predicts_only": _predicts_only,
    "code": _code,
}
