"""Security policies of llm-sandbox: patterns and modules that are blocked from a severity on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.common.file_faults import Fault, PolicyError
from engine.common.strict_yaml import Document
from engine.policy.imports.imported import ImportedEntry, covered, left_out, taken
from engine.policy.imports.patterns import by_default, finds, is_text, pattern_fault

SEVERITIES = {"SAFE": 0, "LOW": 1, "MEDIUM": 2, "HIGH": 3}
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


@dataclass(frozen=True)
class SandboxPattern:
    """A pattern or a module of the policy; None where it is not said by a literal."""

    line: int
    value: str | None
    description: str
    severity: int | None
    is_module: bool


@dataclass(frozen=True)
class SandboxPolicy:
    """A policy as read: what is blocked is of this severity or higher; 0 blocks nothing."""

    threshold: int
    line: int = 1
    patterns: list[SandboxPattern] = field(default_factory=list)


def of_document(document: Document) -> SandboxPolicy:
    """Return the policy that `SecurityPolicy.model_dump` wrote as JSON or YAML.

    Raises:
        PolicyError: it is none.
    """
    value = document.value
    if not isinstance(value, dict) or not value.keys() & {"patterns", "restricted_modules"}:
        raise PolicyError(Fault(document.place(()), "no policy of llm-sandbox: there is no key `patterns`"))
    threshold = severity_of(value.get("severity_threshold", 0))
    if threshold is None:
        raise PolicyError(Fault(document.place(("severity_threshold",)), "`severity_threshold` is 0 to 3"))
    patterns = [*_patterns(document, "patterns"), *_patterns(document, "restricted_modules")]
    return SandboxPolicy(threshold, document.place(("severity_threshold",)).line, patterns)


def _patterns(document: Document, key: str) -> Iterator[SandboxPattern]:
    given = document.value.get(key) or []
    if not isinstance(given, list):
        raise PolicyError(Fault(document.place((key,)), f"`{key}` is a list"))
    name = "pattern" if key == "patterns" else "name"
    for number, one in enumerate(given):
        said = one if isinstance(one, dict) else {}
        value, why = said.get(name), said.get("description")
        yield SandboxPattern(
            document.place((key, number)).line,
            value if isinstance(value, str) else None,
            why if isinstance(why, str) else "",
            severity_of(said.get("severity")),
            key != "patterns",
        )


def severity_of(value: Any) -> int | None:
    """Return a severity that is written as a number or a word; None if it is none."""
    if isinstance(value, str):
        return SEVERITIES.get(value.upper())
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3 else None


def read_patterns(policy: SandboxPolicy) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each pattern and module."""
    entries = [_entry(number, one, policy) for number, one in enumerate(policy.patterns, 1)]
    word = "it is applied to each pattern" if policy.threshold else "it blocks nothing (SAFE)"
    threshold = covered(policy.line, f"severity_threshold {policy.threshold}", word)
    return tuple(sorted([threshold, *entries], key=lambda entry: entry.line))


def _entry(number: int, one: SandboxPattern, policy: SandboxPolicy) -> ImportedEntry:
    text = f"{'module' if one.is_module else 'pattern'} {one.value}"
    if one.value is None or one.severity is None or not is_text(one.value):
        return left_out(one.line, text, "its text or severity is not written out here")
    if not policy.threshold or one.severity < policy.threshold:
        return left_out(one.line, text, "it is below the threshold: llm-sandbox does not block it either")
    return _module(number, one, text) if one.is_module else _pattern(number, one, text)


def _module(number: int, one: SandboxPattern, text: str) -> ImportedEntry:
    name = one.value or ""
    if not _MODULE.fullmatch(name):
        return left_out(one.line, text, "it is no name of a module")
    if fault := pattern_fault(import_pattern(name)):
        return left_out(one.line, text, fault)
    rule = _rule(number, one, {"language": "python", "code": import_pattern(name)})
    rule["match"] = [{"code": f"import {name}"}, {"code": f"from {name} import x"}]
    rule["not_match"] = [{"code": f"import {name}_x"}]
    return taken(one.line, text, "Python that imports it is refused without a review", rule)


def import_pattern(name: str) -> str:
    """Return an expression that finds an import of a module in Python code."""
    module = re.escape(name)
    ends = r"(?:[ \t.,;\r]|$)"
    imports = rf"import[ \t]+(?:[^\n#;]*,[ \t]*)?{module}{ends}"
    called = rf"(?:__import__|import_module)\(\s*['\"]{module}['\".]"
    return rf"(?m)(?:(?:^|[;:])[ \t]*(?:{imports}|from[ \t]+{module}{ends})|{called})"


def _pattern(number: int, one: SandboxPattern, text: str) -> ImportedEntry:
    pattern = one.value or ""
    if not pattern:
        return left_out(one.line, text, "llm-sandbox ignores an empty pattern, too")
    if fault := pattern_fault(pattern):
        return left_out(one.line, text, fault)
    if finds(pattern, ""):
        return left_out(one.line, text, "it matches any code: everything would be refused")
    reason = "code that matches is refused without a review; comments count here, in llm-sandbox they do not"
    return taken(one.line, text, reason, _rule(number, one, {"code": pattern}))


def _rule(number: int, one: SandboxPattern, when: dict[str, Any]) -> dict[str, Any]:
    why = one.description if is_text(one.description) else ""
    reason = f"imported from llm-sandbox: {why or one.value}"
    return by_default(number, "llm-sandbox", refuse=True, reason=reason, when=when)
