"""Why a submission has its level: one plain sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.level_reason import MOST_CHARACTERS, level_reason
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Case,
    Confidence,
    Draft,
    Language,
    Level,
    Limits,
    Operation,
    OperationKind,
    Package,
    Permissions,
    Principal,
    Span,
    Status,
    Submission,
    Unproven,
    Verdict,
    Violation,
)
from engine.policy import assess, shipped

PLACE = Span(line=3, column=1, end_line=3, end_column=2)
HOSTS = tuple(Untrusted(f"{name}.example.com") for name in "abcd")
UNPROVEN = ", which could not be proven harmless"
CALLS = Analysis(unproven=(Unproven(span=PLACE, reason=Untrusted("it calls frobnicate")),))

SAVES = Analysis(unproven=(Unproven(span=PLACE, reason=Untrusted("writes `a.csv`"), writes="a.csv"),))


def reason(
    analysis: Analysis,
    asked: Permissions | None = None,
    operation: OperationKind | None = None,
    code: str = "print(1)",
    language: Language = Language.PYTHON,
    base: str = "standard",
) -> str:
    """Return the sentence about a draft under a shipped policy."""
    draft = Draft(
        code=Untrusted(code),
        language=language,
        permissions=asked or Permissions(),
        operation=Operation(kind=operation) if operation else None,
    )
    by = Principal(name=Untrusted("agent"))
    submission = Submission(
        id="s-1", draft=draft, requester=by, submitted_at=datetime(2026, 1, 1, tzinfo=UTC), digest="0" * 64
    )
    assessment = assess(draft, analysis, shipped(base))
    return level_reason(
        Case(submission=submission, status=Status.PENDING, analysis=analysis, assessment=assessment)
    ).text


def found(severity: Level, message: str = "It deletes files") -> Analysis:
    """Return an analysis with a violation in line 3."""
    one = Violation(
        rule="r",
        severity=severity,
        confidence=Confidence.HIGH,
        category="x",
        span=PLACE,
        message=Untrusted(message),
    )
    return Analysis().with_violations((one,))


PACKAGE = Package(name=Untrusted("numpy"), version=Untrusted("2.0"))
FOREIGN = Package(name=Untrusted("left"), version=Untrusted("1"), registry=Untrusted("r.example"))


@pytest.mark.parametrize(
    ("sentence", "analysis", "asked"),
    [
        ("MEDIUM: it is proven harmless and asks for nothing", Analysis(verdict=Verdict.HARMLESS), None),
        ("HIGH: line 3 could not be proven harmless: it calls frobnicate", CALLS, None),
        ("HIGH: it writes only its workspace: a.csv, and is proven to do nothing else", SAVES, None),
        ("HIGH: python code could not be proven harmless", Analysis(), None),
        ("HIGH: the analysis could not read all of it", Analysis(complete=False), None),
        ("HIGH: line 3: It deletes files", found(Level.HIGH), None),
        ("CRITICAL: line 3: It deletes files", found(Level.CRITICAL), Permissions(domains=HOSTS[:1])),
        (
            "HIGH: it asks to contact a.example.com, which could not be proven harmless",
            Analysis(),
            Permissions(domains=HOSTS[:1]),
        ),
        (
            "HIGH: it asks to contact a.example.com, b.example.com, c.example.com and 1 more" + UNPROVEN,
            CALLS,
            Permissions(domains=HOSTS),
        ),
        (
            "HIGH: it asks for the package numpy, whose code could not be proven harmless",
            Analysis(),
            Permissions(packages=(PACKAGE,)),
        ),
        (
            "HIGH: it asks for the package left from another registry",
            Analysis(),
            Permissions(packages=(FOREIGN,)),
        ),
        (
            "HIGH: it asks for the input file a.csv",
            Analysis(verdict=Verdict.HARMLESS),
            Permissions(files=(Untrusted("a.csv"),)),
        ),
        ("HIGH: it asks for the secret KEY", CALLS, Permissions(secrets=(Untrusted("KEY"),))),
        (
            "HIGH: it asks for higher limits: memory_mb 1024",
            Analysis(verdict=Verdict.HARMLESS),
            Permissions(limits=Limits(memory_mb=1024)),
        ),
        ("HIGH: it runs in a session, which keeps its state", Analysis(), Permissions(session=True)),
    ],
)
def test_the_sentence_names_what_weighs_most(
    sentence: str, analysis: Analysis, asked: Permissions | None
) -> None:
    """One sentence, which says what is found, asked for, or not proven."""
    assert sentence == reason(analysis, asked)


def test_harmless_code_that_the_policy_rates_high_is_not_said_to_be_the_reason() -> None:
    """Under `strict` all code is HIGH: that is why, and not what was proven."""
    sentence = "HIGH: the policy rates all code so; it is proven harmless and asks for nothing"
    assert sentence == reason(Analysis(verdict=Verdict.HARMLESS), base="strict")


def test_other_languages_and_operations() -> None:
    """What has no proof says so, and a tool call says what it does."""
    assert "HIGH: shell code could not be proven harmless" == reason(Analysis(), language=Language.SHELL)
    assert "MEDIUM: it reads, writes, removes or lists files" == reason(
        Analysis(), operation=OperationKind.READ
    )
    assert "LOW: it closes a session or reads metadata" == reason(Analysis(), operation=OperationKind.DESTROY)


@given(st.text(max_size=2000), st.sampled_from(Level))
def test_no_text_makes_it_two_lines(text: str, severity: Level) -> None:
    """Text of an agent neither breaks the line nor makes it endless."""
    told = reason(found(severity, text), Permissions(domains=(Untrusted(text),)))
    assert len(told) <= MOST_CHARACTERS
    assert told.startswith(("HIGH: ", "CRITICAL: "))
    assert "\n" not in told
