"""The risk of submissions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import Analysis, Capabilities, Confidence, Draft, Language, Level, Package, Span, Violation
from engine.policy import assess
from engine.settings import PolicySettings
from engine.text import Untrusted

SETTINGS = PolicySettings()


def draft(capabilities: Capabilities | None = None) -> Draft:
    """Return a draft that asks for `capabilities`."""
    return Draft(
        code=Untrusted("print(1)"), language=Language.PYTHON, capabilities=capabilities or Capabilities()
    )


def violation(severity: Level, category: str = "recon") -> Violation:
    """Return a violation of that severity."""
    span = Span(line=1, column=1, end_line=1, end_column=2)
    return Violation(
        rule="r",
        severity=severity,
        confidence=Confidence.HIGH,
        category=category,
        span=span,
        message=Untrusted("m"),
    )


PACKAGE = Package(name=Untrusted("left-pad"), version=Untrusted("1.0"))
FOREIGN = Package(name=Untrusted("left-pad"), version=Untrusted("1.0"), registry=Untrusted("example"))


@pytest.mark.parametrize(
    ("risk", "capabilities", "analysis"),
    [
        (Level.CRITICAL, Capabilities(domains=(Untrusted("example.org"),)), Analysis()),
        (Level.CRITICAL, Capabilities(packages=(FOREIGN,)), Analysis()),
        (Level.CRITICAL, Capabilities(), Analysis(violations=(violation(Level.CRITICAL),))),
        (Level.CRITICAL, Capabilities(), Analysis(violations=(violation(Level.HIGH, "exec_eval"),))),
        (Level.HIGH, Capabilities(packages=(PACKAGE,)), Analysis()),
        (Level.HIGH, Capabilities(), Analysis(complete=False)),
        (Level.HIGH, Capabilities(), Analysis()),
        (Level.HIGH, Capabilities(), Analysis(violations=(violation(Level.HIGH),))),
    ],
)
def test_the_table_of_risks(risk: Level, capabilities: Capabilities, analysis: Analysis) -> None:
    """Each row of the README's table of risks holds."""
    assert risk is assess(draft(capabilities), analysis, SETTINGS).risk


@pytest.mark.parametrize(("seconds", "severity"), [(30.0, Level.CRITICAL), (60.0, Level.LOW)])
def test_each_risk_has_its_deadline(seconds: float, severity: Level) -> None:
    """CRITICAL has half a minute and HIGH a minute, unless settings say otherwise."""
    analysis = Analysis(violations=(violation(severity),))
    assert seconds == assess(draft(), analysis, SETTINGS).deadline_seconds


def test_an_unread_analysis_is_never_below_high() -> None:
    """An analysis that could not read everything holds a submission at HIGH at least."""
    assert Level.HIGH.rank <= assess(draft(), Analysis(complete=False), SETTINGS).risk.rank


severities = st.sampled_from(Level)


@given(st.lists(severities), severities)
def test_another_violation_never_lowers_the_risk(before: list[Level], added: Level) -> None:
    """Risk is monotone in violations."""
    few = Analysis(violations=tuple(violation(level) for level in before))
    more = Analysis(violations=(*few.violations, violation(added)))
    assert assess(draft(), few, SETTINGS).risk.rank <= assess(draft(), more, SETTINGS).risk.rank


def test_every_match_is_told_with_the_highest_first() -> None:
    """A reviewer sees all reasons, the gravest on top."""
    analysis = Analysis(violations=(violation(Level.CRITICAL),), complete=False)
    rules = [match.rule for match in assess(draft(), analysis, SETTINGS).matches]
    assert ["critical-violation", "analysis-incomplete", "code-execution"] == rules
