"""What a violation is called: by its severity to a reviewer, and a syntax error to the author of the code."""

from __future__ import annotations

from console.safety.text import Part
from console.widgets.formatting import full_badge
from engine.models import Violation

SYNTAX_RULES = frozenset({"py-syntax", "js-syntax", "sh-syntax"})


def is_syntax_error(violation: Violation) -> bool:
    """Return whether a violation says that the code cannot be read: to its author a slip, not an attack."""
    return violation.rule in SYNTAX_RULES


def author_badge(violation: Violation) -> Part:
    """Return what a violation is to the author of the code."""
    return ("syntax error", "bold error") if is_syntax_error(violation) else reviewer_badge(violation)


def reviewer_badge(violation: Violation) -> Part:
    """Return what a violation is to somebody who reviews the code."""
    return full_badge(violation.severity)
