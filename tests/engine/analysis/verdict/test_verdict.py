"""When an analysis may say `harmless`, and when it may not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from engine.analysis import analyse
from engine.analysis.limits import CRASHED, unfinished
from engine.analysis.verdict import PROOFS, judge
from engine.models import Analysis, Language, Level, Span, Unproven, Verdict, Violation
from engine.settings import AnalysisSettings

_SPAN = Span(line=1, column=1, end_line=1, end_column=2)
_PLACE = Unproven(span=_SPAN, reason="why")


def _violation(level: Level) -> Violation:
    return Violation(rule="py-x", severity=level, confidence="high", category="x", span=_SPAN, message="x")


def test_an_analysis_is_unproven_unless_it_says_otherwise() -> None:
    """Nothing found is not harmless; nor is an analysis that was stored without a verdict."""
    assert Verdict.UNPROVEN is Analysis().verdict
    assert Verdict.UNPROVEN is Analysis.model_validate_json('{"violations": [], "complete": true}').verdict


@pytest.mark.parametrize(
    "beside",
    [
        {"complete": False},
        {"unproven": (_PLACE,)},
        {"violations": (_violation(Level.MEDIUM),)},
        {"violations": (_violation(Level.LOW), _violation(Level.CRITICAL))},
    ],
)
def test_harmless_stands_beside_nothing_that_contradicts_it(beside: dict[str, object]) -> None:
    """No analysis can be made that is harmless and incomplete, partly unproven or grave."""
    with pytest.raises(ValidationError):
        Analysis.model_validate({"verdict": Verdict.HARMLESS, **beside})


def test_more_violations_end_a_proof() -> None:
    """A violation that is added later changes the verdict; a LOW one is a fact."""
    proven = analyse("print(1)", Language.PYTHON)
    assert Verdict.HARMLESS is proven.with_violations((_violation(Level.LOW),)).verdict
    assert Verdict.VIOLATIONS is proven.with_violations((_violation(Level.HIGH),)).verdict


def test_a_language_without_a_proof_is_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language whose proof is missing says so."""
    monkeypatch.setattr("engine.analysis.verdict.PROOFS", {Language.PYTHON: PROOFS[Language.PYTHON]})
    found = analyse("x=1", Language.SHELL)
    assert Verdict.UNPROVEN is found.verdict
    assert "not proven for shell yet" == found.unproven[0].reason.text


@pytest.mark.parametrize("error", [RecursionError, MemoryError, KeyError, ValueError, AttributeError])
def test_a_proof_that_fails_proves_nothing(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside of a proof is unproven, and never an error of the analysis."""

    def fail(text: str, inputs: frozenset[str]) -> tuple[Unproven, ...]:
        raise error

    monkeypatch.setattr("engine.analysis.verdict.PROOFS", {Language.PYTHON: fail})
    assert Verdict.UNPROVEN is judge(Analysis(), "", Language.PYTHON).verdict


def test_what_was_not_analysed_is_not_proven() -> None:
    """Incomplete, crashed, unreadable and oversized code is never harmless."""
    for found in (
        judge(Analysis(complete=False), "", Language.PYTHON),
        unfinished(CRASHED, "x"),
        analyse(b"\xff", Language.PYTHON),
        analyse("x = (", Language.PYTHON),
        analyse("x = 1\ry = 2", Language.PYTHON),
        analyse("# coding: utf-7\nx = 1", Language.PYTHON),
        analyse("x = 1\n" * 1000, Language.PYTHON, AnalysisSettings(max_bytes=1024)),
    ):
        assert Verdict.HARMLESS is not found.verdict


def test_nothing_is_proven_about_what_is_grave_or_was_not_analysed() -> None:
    """What is grave has no places that are unproven; what is incomplete has this one reason."""
    grave = judge(Analysis(violations=(_violation(Level.CRITICAL),)), "eval(input())", Language.PYTHON)
    incomplete = judge(Analysis(complete=False), "eval(input())", Language.PYTHON)
    assert () == grave.unproven
    assert ["not all of the code could be analysed"] == [one.reason.text for one in incomplete.unproven]


def test_a_severity_that_is_lowered_does_not_prove_anything() -> None:
    """With every severity at LOW, code with an effect is unproven."""
    code = "eval(input())"
    rules = {violation.rule for violation in analyse(code, Language.PYTHON).violations}
    lowered = AnalysisSettings(severities=dict.fromkeys(rules, Level.LOW))
    assert Verdict.UNPROVEN is analyse(code, Language.PYTHON, lowered).verdict


def test_which_languages_have_a_proof() -> None:
    """A new proof is a decision, and shows up here."""
    assert set(Language) == set(PROOFS)
