"""Health that is not known: the engine says nothing, so that nothing on screen is called OK. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from console.safety.text import Part
from engine.common.text import Untrusted
from engine.models import Check


def silent_check(age: float) -> Check:
    """Return the row that the engine says nothing."""
    detail = Untrusted(f"says nothing for {age:.0f} s: the rows below are what it said then")
    return Check(name="engine", ok=False, detail=detail, hint="pratique doctor")


def summary_words(checks: Sequence[Check], age: float | None) -> str:
    """Return how many checks fail; or that none is known, and the age of what was said."""
    if age is not None:
        return f"unknown; as of {age:.0f} s ago"
    bad = sum(not check.ok for check in checks)
    return f"{bad} failing" if bad else "all OK" if checks else ""


def unknown_proof(age: float) -> list[list[Part]]:
    """Return what stands in the place of the proof of isolation."""
    return [
        [("◌ unknown", "bold muted")],
        [],
        [(f"The engine says nothing for {age:.0f} s.", "muted")],
        [("To see why, type: ", "muted"), ("pratique doctor", "primary")],
    ]
