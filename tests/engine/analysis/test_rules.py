"""Every rule fires on its examples, does not fire on similar code, and explains itself."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import pytest

import engine.analysis
from engine.analysis import analyse
from engine.analysis.registry import RULES, explain
from engine.analysis.rule import Rule
from engine.models import Language, Violation
from engine.settings import AnalysisSettings

_EXAMPLES = [
    pytest.param(rule, language, code, id=f"{rule.id}-{language}-{number}")
    for rule in RULES.values()
    for number, code in enumerate(rule.match)
    for language in sorted(rule.languages)
]
_COUNTER_EXAMPLES = [
    pytest.param(rule, language, code, id=f"{rule.id}-{language}-{number}")
    for rule in RULES.values()
    for number, code in enumerate(rule.not_match)
    for language in sorted(rule.languages)
]


def _fired(rule: Rule, language: Language, code: str) -> list[Violation]:
    profile = AnalysisSettings(profile="allow" if rule.id.endswith("-not-allowed") else "block")
    return [v for v in analyse(code, language, profile).violations if v.rule == rule.id]


@pytest.mark.parametrize(("rule", "language", "code"), _EXAMPLES)
def test_a_rule_fires_on_its_examples(rule: Rule, language: Language, code: str) -> None:
    """Each `match` example has a violation of its rule, inside the code."""
    fired = _fired(rule, language, code)
    assert [] != fired
    assert fired[0].span.end_line <= code.count("\n") + 1


@pytest.mark.parametrize(("rule", "language", "code"), _COUNTER_EXAMPLES)
def test_a_rule_does_not_fire_on_similar_code(rule: Rule, language: Language, code: str) -> None:
    """No `not_match` example has a violation of its rule."""
    assert [] == _fired(rule, language, code)


@pytest.mark.parametrize("rule", RULES.values(), ids=str)
def test_a_rule_explains_itself(rule: Rule) -> None:
    """A rule has a well-formed id, names the attack, the reason for its severity, and a fix."""
    assert re.fullmatch(r"(py|js|sh|text|input|analysis)(-[a-z0-9]+)+", rule.id)
    assert all((rule.title, rule.category, rule.attack, rule.why, rule.fix, rule.languages))
    assert rule.id in explain(rule.id)


@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.category != "unreadable"], ids=str)
def test_a_rule_has_examples_of_both_kinds(rule: Rule) -> None:
    """A rule that judges constructs shows one where it fires and one where it does not."""
    assert rule.match
    assert rule.not_match


def test_every_declared_rule_is_in_the_registry() -> None:
    """A rule that any module of the analysis declares is registered."""
    modules = pkgutil.walk_packages(engine.analysis.__path__, "engine.analysis.")
    values = [value for module in modules for value in vars(import_module(module.name)).values()]
    assert {value.id for value in values if isinstance(value, Rule)} == set(RULES)
