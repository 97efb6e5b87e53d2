"""Each condition of a rule holds exactly where it says, and gives its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Certainty,
    Draft,
    EffectKind,
    Language,
    Level,
    Limits,
    Permissions,
    PredictedEffect,
)
from engine.policy import assess, load, shipped
from engine.policy.policy import reusing_rules

HOST = PredictedEffect(
    kind=EffectKind.HOST, value=Untrusted("a.example"), certainty=Certainty.EXACT, lines=(1,)
)
READ = PredictedEffect(kind=EffectKind.READ, value=Untrusted("a.csv"), certainty=Certainty.EXACT, lines=(1,))


def reasons(
    folder: Path,
    when: str,
    code: str = "print(1)",
    effects: tuple[PredictedEffect, ...] = (),
    limits: Limits | None = None,
) -> list[str]:
    """Return the reasons for which a rule with one condition matches; none where it does not."""
    file = folder / "policy.yaml"
    file.write_text(f"rules:\n  - {{id: mine, risk: critical, when: {{{when}}}}}\n")
    draft = Draft(
        code=Untrusted(code),
        language=Language.PYTHON,
        permissions=Permissions(limits=limits or Limits()),
    )
    matches = assess(draft, Analysis(effects=effects), load(file, base="strict")).matches
    return [match.reason.text for match in matches if match.rule == "mine"]


@pytest.mark.parametrize(("lines", "holds"), [(3, False), (4, True)])
def test_lines_over(tmp_path: Path, lines: int, holds: bool) -> None:
    """More lines than the bound, and not as many."""
    assert ([f"{lines} lines"] if holds else []) == reasons(tmp_path, "lines_over: 3", "x\n" * lines)


@pytest.mark.parametrize(("lines", "holds"), [(3, False), (2, True)])
def test_lines_under(tmp_path: Path, lines: int, holds: bool) -> None:
    """Fewer lines than the bound, and not as many."""
    assert ([f"{lines} lines"] if holds else []) == reasons(tmp_path, "lines_under: 3", "x\n" * lines)


@pytest.mark.parametrize(("code", "line"), [("needle", 1), ("\nneedle", 2), ("a\n\nb needle\n", 3)])
def test_the_line_of_a_match(tmp_path: Path, code: str, line: int) -> None:
    """The line is that of the match, counted from 1, wherever it stands."""
    assert [f"line {line}: the code matches an expression of the policy"] == reasons(
        tmp_path, "code: needle", code
    )


def test_predicts(tmp_path: Path) -> None:
    """Only effects of the kinds that are named, each with its value."""
    (reason,) = reasons(tmp_path, "predicts: host", effects=(READ, HOST))
    assert reason.endswith("host a.example")
    assert [] == reasons(tmp_path, "predicts: host", effects=(READ,))
    assert [] == reasons(tmp_path, "predicts: host")


@pytest.mark.parametrize(
    ("memory_mb", "over"), [(999, []), (1000, []), (1001, ["requests memory_mb 1001, over 1000"])]
)
def test_limits_over(tmp_path: Path, memory_mb: int, over: list[str]) -> None:
    """A limit above its bound, and no other limit."""
    limits = Limits(memory_mb=memory_mb, seconds=600)
    assert over == reasons(tmp_path, "limits_over: {memory_mb: 1000}", limits=limits)


@pytest.mark.parametrize(
    ("effects", "risk"),
    [((), Level.LOW), ((READ,), Level.LOW), ((HOST,), Level.HIGH), ((READ, HOST), Level.HIGH)],
)
def test_predicts_only(tmp_path: Path, effects: tuple[PredictedEffect, ...], risk: Level) -> None:
    """A rule that lowers the risk does so only where nothing else is predicted."""
    file = tmp_path / "policy.yaml"
    file.write_text(
        "rules:\n  - {id: reads, risk: low, lowers: code-execution, when: {predicts_only: [read]}}\n"
    )
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    assert risk is assess(draft, Analysis(effects=effects), load(file, base="strict")).risk


def test_an_incomplete_analysis_is_lowered_by_no_rule(tmp_path: Path) -> None:
    """What was not read keeps the risk of its rules: the rule that lowers is not even listed."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - {id: clean-code, enabled: true}\n")
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    for analysis, weaker in ((Analysis(complete=False), False), (Analysis(), True)):
        matches = assess(draft, analysis, load(file, base="strict"), weaker_runtime=weaker).matches
        assert "clean-code" not in {each.rule for each in matches}
        assert not any("lowered" in each.reason.text for each in matches)


@pytest.mark.parametrize(("complete", "weaker"), [(False, False), (True, True), (False, True)])
def test_a_floor_is_named_only_where_it_raises(complete: bool, weaker: bool) -> None:
    """Where rules of the policy say as much already, no floor repeats it."""
    matches = assess(
        Draft(code=Untrusted("print(1)"), language=Language.PYTHON),
        Analysis(complete=complete),
        shipped("strict"),
        weaker_runtime=weaker,
    ).matches
    assert not [each.rule for each in matches if each.rule.startswith("floor-")]


def test_a_default_that_is_written_out_changes_no_hash(tmp_path: Path) -> None:
    """Two files that say the same have one hash; another risk has another."""
    hashes = []
    for text in ("id: mine, risk: high", "id: mine, risk: high, enabled: true", "id: mine, risk: critical"):
        file = tmp_path / "policy.yaml"
        file.write_text(f"rules:\n  - {{{text}, when: {{operation: run}}}}\n")
        hashes.append(load(file, base="strict").hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_rules_that_say_the_same_are_reused(tmp_path: Path) -> None:
    """The policy that is compared shares the very rules of the other one, and keeps its own besides."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - {id: mine, risk: high, when: {operation: run}}\n")
    old, new = shipped("strict"), load(file, base="strict")
    shared = reusing_rules(new, old)
    by_id = {rule.spec.id: rule for rule in shared.rules}
    assert [rule.spec for rule in new.rules] == [rule.spec for rule in shared.rules]
    assert all(by_id[rule.spec.id] is rule for rule in old.rules)
    assert "mine" in by_id


def test_what_no_rule_covers_and_what_a_floor_raises_is_a_persons_to_decide(tmp_path: Path) -> None:
    """Neither refuses: somebody may still approve it."""
    file = tmp_path / "policy.yaml"
    off = ("code-execution", "analysis-incomplete", "weaker-runtime")
    file.write_text("rules:\n" + "".join(f"  - {{id: {id}, enabled: false}}\n" for id in off))
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    matches = assess(draft, Analysis(complete=False), load(file, base="strict"), weaker_runtime=True).matches
    assert {"no-rule", "floor-runtime"} <= {each.rule for each in matches}
    assert not any(each.refuses for each in matches)


def test_matches_are_in_the_order_of_what_they_count_for(tmp_path: Path) -> None:
    """A rule that was lowered stands behind those that count for more."""
    file = tmp_path / "policy.yaml"
    medium = "  - {id: medium, risk: medium, when: {language: python}}\n"
    file.write_text(f"rules:\n  - {{id: clean-code, enabled: true}}\n{medium}")
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    levels = [each.level for each in assess(draft, Analysis(), load(file, base="strict")).matches]
    assert sorted(levels, key=lambda level: -level.rank) == levels
    assert {Level.LOW, Level.MEDIUM} == set(levels)


def test_a_rule_about_findings_covers_nothing(tmp_path: Path) -> None:
    """A rule that holds because of what was predicted says nothing about code in general: that stays HIGH."""
    file = tmp_path / "policy.yaml"
    mine = "  - {id: mine, risk: medium, when: {predicts: read}}\n"
    file.write_text(f"rules:\n  - {{id: code-execution, enabled: false}}\n{mine}")
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    matches = assess(draft, Analysis(effects=(READ,)), load(file, base="strict")).matches
    assert {("mine", Level.MEDIUM), ("no-rule", Level.HIGH)} == {(each.rule, each.level) for each in matches}
