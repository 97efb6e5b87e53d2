"""Surprises of a run as SARIF 2.1.0 (OASIS): what it did that was not predicted or not granted."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from engine.cli.analysis.reports import INFORMATION, LEVELS, SCHEMA
from engine.common.text import mark_hidden
from engine.models import Level
from engine.models.observed import EffectMatch, ObservationStatus, RunEffects


def effects_sarif(run: str, found: RunEffects) -> dict[str, Any]:
    """Return a SARIF log of one run; an incomplete observation is an unsuccessful invocation."""
    surprises = [one for one in found.matches if one.surprising]
    kinds = sorted({one.kind for one in surprises})
    driver = {
        "name": "pratique",
        "semanticVersion": version("pratique"),
        "informationUri": INFORMATION,
        "rules": [{"id": _rule(kind), "shortDescription": {"text": _about(kind)}} for kind in kinds],
    }
    log = {
        "tool": {"driver": driver},
        "invocations": [_invocation(found)],
        "results": [_result(run, one, kinds.index(one.kind)) for one in surprises],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [log]}


def _rule(kind: str) -> str:
    return f"surprise-{kind}"


def _about(kind: str) -> str:
    return f"An effect that was not predicted or not granted: {kind}"


def _invocation(found: RunEffects) -> dict[str, Any]:
    observation = found.observation
    complete = observation is not None and observation.status is ObservationStatus.COMPLETE
    reasons = observation.reasons if observation is not None else ("the run has not ended",)
    notes = [{"level": "warning", "message": {"text": one}} for one in reasons]
    return {"executionSuccessful": complete, "toolExecutionNotifications": notes}


def _result(run: str, match: EffectMatch, index: int) -> dict[str, Any]:
    severity = match.severity or Level.LOW
    value = mark_hidden(match.value.text)
    reason = f": {match.reason}" if match.reason else ""
    return {
        "ruleId": _rule(match.kind),
        "ruleIndex": index,
        "level": LEVELS[severity],
        "message": {"text": f"{match.relation.value}: {match.kind} {value}{reason}"},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": run, "kind": "process"}]}],
        "properties": {"severity": severity.value, "effect": match.number},
    }
