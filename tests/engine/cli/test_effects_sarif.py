"""Surprises of a run as SARIF."""

from __future__ import annotations

from engine.cli.analysis.reports import INFORMATION
from engine.cli.output.effects_sarif import effects_sarif
from engine.common.text import Untrusted
from engine.models import Level
from engine.models.observed import EffectMatch, Observation, ObservationStatus, Relation, RunEffects

SENT = EffectMatch(
    relation=Relation.BEYOND, kind="connect", value=Untrusted("x\x1b[2J:1"), number=3, severity=Level.CRITICAL
)
READ = EffectMatch(relation=Relation.PREDICTED, kind="read", value=Untrusted("/workspace/a"))


def test_each_surprise_is_a_result_and_nothing_else_is() -> None:
    """Its rule is its kind; what is hostile in it is marked; what was predicted is no result."""
    whole = Observation(status=ObservationStatus.COMPLETE, events=1)
    (run,) = effects_sarif("s-1", RunEffects(observation=whole, matches=(READ, SENT)))["runs"]
    (result,) = run["results"]
    assert ("surprise-connect", "error", 0) == (result["ruleId"], result["level"], result["ruleIndex"])
    assert "\x1b" not in result["message"]["text"]
    assert "s-1" == result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
    assert ["surprise-connect"] == [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert INFORMATION == run["tool"]["driver"]["informationUri"]
    assert run["invocations"][0]["executionSuccessful"]


def test_an_incomplete_observation_says_so() -> None:
    """No result must not be read as no surprise where effects may be missing."""
    part = Observation(status=ObservationStatus.INCOMPLETE, reasons=("9 events were dropped",))
    (run,) = effects_sarif("s-1", RunEffects(observation=part))["runs"]
    invocation = run["invocations"][0]
    assert not invocation["executionSuccessful"]
    assert "9 events were dropped" == invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert not effects_sarif("s-1", RunEffects())["runs"][0]["invocations"][0]["executionSuccessful"]
