"""The explanation of a violation begins with the level of its badge."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.analysis.registry import RULES
from engine.analysis.rule import Rule, explained
from engine.models import Language, Level
from engine.settings import AnalysisSettings


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_badge_and_explanation_agree(rule: Rule) -> None:
    """Whatever level a rule gives a place, its explanation there opens with that level."""
    assert rule.why.startswith(rule.severity.value.upper())
    language = min(rule.languages)
    for example in rule.match:
        for violation in analyse(example, language).violations:
            assert violation.why.startswith(violation.severity.value.upper()), violation


@pytest.mark.parametrize("level", Level)
def test_every_level_has_an_explanation(level: Level) -> None:
    """A clause of its own comes first, and no clause is lost."""
    why = "MEDIUM: common; HIGH for keys; LOW below the folder."
    found = explained(why, level)
    assert found.startswith(level.value.upper())
    assert all(clause in found for clause in ("MEDIUM: common", "HIGH for keys", "LOW below the folder"))


def test_the_settings_explain_their_level() -> None:
    """A severity that the settings give is the one that the explanation opens with."""
    settings = AnalysisSettings(severities={"py-exec": Level.LOW})
    found = analyse("eval(x)", Language.PYTHON, settings).violations
    assert [True] == [one.why.startswith("LOW") for one in found if one.rule == "py-exec"]
