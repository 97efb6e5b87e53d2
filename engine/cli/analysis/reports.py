"""Report an analysis as JSON or as SARIF 2.1.0 (OASIS)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from engine.analysis.registry import RULES
from engine.analysis.rule import Rule
from engine.cli.analysis.batch import Item
from engine.models import Analysis, Level, Span, Violation

LEVELS = {Level.LOW: "note", Level.MEDIUM: "warning", Level.HIGH: "error", Level.CRITICAL: "error"}
_SCORES = {Level.LOW: "2.0", Level.MEDIUM: "5.0", Level.HIGH: "8.0", Level.CRITICAL: "9.5"}
INFORMATION = "urn:pratique:documentation:rules"
"""The name of the page about the rules, docs/rules.md, which is where the documentation is."""
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def record(item: Item, analysis: Analysis) -> dict[str, Any]:
    """Return the report of one file."""
    return {
        "file": str(item.id),
        "language": item.language.value,
        "complete": analysis.complete,
        **_verdict(analysis),
        "violations": [_violation(violation) for violation in analysis.violations],
        "effects": [effect.model_dump(mode="json") for effect in analysis.effects],
        "seconds": round(analysis.seconds, 6),
    }


def corpus_record(item: Item, analysis: Analysis) -> dict[str, Any]:
    """Return the report of one entry of a corpus."""
    return {
        "id": item.id,
        "violations": [_violation(violation) for violation in analysis.violations],
        "complete": analysis.complete,
        **_verdict(analysis),
        "seconds": round(analysis.seconds, 6),
    }


def _verdict(analysis: Analysis) -> dict[str, Any]:
    unproven = [{"reason": one.reason.text} | _place(one.span) for one in analysis.unproven]
    return {
        "verdict": analysis.verdict.value,
        "unproven": unproven,
        "writes": list(analysis.writes),
        "trusts": list(analysis.trusts),
    }


def _violation(violation: Violation) -> dict[str, Any]:
    fields = violation.model_dump(mode="json", exclude={"span"})
    return fields | _place(violation.span)


def _place(span: Span) -> dict[str, int]:
    return span.model_dump()


# --- SARIF ---


def sarif_log(done: Iterable[tuple[Item, Analysis]]) -> dict[str, Any]:
    """Return a SARIF log. Columns count Unicode code points, the end column is exclusive."""
    done = list(done)
    found = [(str(item.id), violation) for item, analysis in done for violation in analysis.violations]
    names = sorted({violation.rule for _, violation in found})
    index = {name: number for number, name in enumerate(names)}
    driver = {
        "name": "pratique",
        "semanticVersion": version("pratique"),
        "informationUri": INFORMATION,
        "rules": [_rule(RULES[name]) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": all(analysis.complete for _, analysis in done)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(file, violation, index) for file, violation in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    tags = ["security", rule.category]
    tags += [f"external/cwe/cwe-{rule.cwe}"] if rule.cwe else []
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.attack} {rule.why}"},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": tags, "security-severity": _SCORES[rule.severity]},
    }


def _result(file: str, violation: Violation, index: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": violation.rule,
        "ruleIndex": index[violation.rule],
        "level": LEVELS[violation.severity],
        "message": {"text": violation.message.text},
        "locations": [_location(file, violation.span)],
        "properties": {"severity": violation.severity.value, "confidence": violation.confidence.value},
    }
    if violation.related:
        result["relatedLocations"] = [_location(file, span) for span in violation.related]
    if violation.layers:
        result["properties"]["layers"] = list(violation.layers)
    return result


def _location(file: str, span: Span) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region}}


def _uri(file: str) -> str:
    return "stdin" if file == "-" else quote(os.path.normpath(file), safe="/:@!$&'()*+,;=-._~")
