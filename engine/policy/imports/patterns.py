"""Texts of other tools as parts of rules: checked as the policy file checks them."""

from __future__ import annotations

from typing import Any, TypeGuard

import re2

from engine.common.hosts import pattern_error
from engine.policy.files.schema import MAX_PATTERN, compile_pattern


def pattern_fault(pattern: str) -> str | None:
    """Return why a policy cannot hold a regular expression; None if it can."""
    if not is_text(pattern):
        return "it is no text"
    if len(pattern) > MAX_PATTERN:
        return f"a regular expression is at most {MAX_PATTERN} characters"
    try:
        compile_pattern(pattern)
    except re2.error:
        return "RE2 does not know this expression (look-around, back-references): write it without"
    return None


def finds(pattern: str, code: str) -> bool:
    """Return whether a valid expression is found in some code."""
    return compile_pattern(pattern).search(code) is not None


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is text that can be written to a file."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def host_fault(host: str) -> str | None:
    """Return why a policy cannot name a host; None if it can."""
    return pattern_error(host) if is_text(host) else "it is no text"


def by_default(number: int, prefix: str, **keys: Any) -> dict[str, Any]:
    """Return a rule with the id `prefix-number`."""
    return {"id": f"{prefix}-{number}", **keys}
