"""The list of violations says what is proven."""

from __future__ import annotations

from console.review.answer.effects import verdict
from console.review.violations import ViolationList
from engine.common.presentation import verdict_text
from engine.models import Analysis, Span, Unproven, Verdict

_SPAN = Span(line=3, column=5, end_line=3, end_column=9)


def _shown(analysis: Analysis) -> str:
    rows = ViolationList()
    rows.show_verdict(analysis)
    return " ".join(
        str(part[0] if isinstance(part, tuple) else part) for line in rows.empty() for part in line
    )


def test_an_empty_list_says_what_is_proven() -> None:
    """Harmless code is called so; other code without violations is not."""
    assert "Proven harmless." in _shown(Analysis(verdict=Verdict.HARMLESS))
    assert "review manually" in _shown(Analysis())


def test_places_that_are_not_proven_are_listed() -> None:
    """Each has its line and the reason."""
    analysis = Analysis.model_validate({"unproven": [Unproven(span=_SPAN, reason="`x` is not on the list")]})
    assert "3:5" in _shown(analysis)
    assert "is not on the list" in _shown(analysis)
    assert "Proven" not in _shown(analysis)


def test_the_libraries_that_a_proof_trusts_are_named() -> None:
    """In the list, in Review's answer and in each text of a verdict; a proof of all of it names none."""
    trusting = Analysis(verdict=Verdict.HARMLESS, trusts=("matplotlib", "numpy", "pandas"))
    assert "This trusts the C code of matplotlib, numpy, pandas." in _shown(trusting)
    assert "trusts" not in _shown(Analysis(verdict=Verdict.HARMLESS))
    assert (
        "Proven harmless, trusting matplotlib, numpy and pandas"
        == verdict_text(trusting)
        == verdict(trusting)[0]
    )
