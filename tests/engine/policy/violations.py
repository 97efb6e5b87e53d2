"""Violations for tests of what is made of them."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models import Confidence, Level, Span, Violation


def violation(severity: Level) -> Violation:
    """Return a violation of that severity, on line 2."""
    return Violation(
        rule="r",
        severity=severity,
        confidence=Confidence.HIGH,
        category="c",
        span=Span(line=2, column=1, end_line=2, end_column=2),
        message=Untrusted("m"),
    )
