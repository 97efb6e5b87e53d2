"""The parts of a submission that retention erased, in words."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from console.safety.text import Part, clip
from engine.common.errors import Problem
from engine.models import Erasure

ERASED = 410
"""The engine's status code for erased content."""
HASH = "Its hash remains in the events."
PART = "part of the output"


def rules_by_item(erasures: Iterable[Erasure]) -> dict[str, str]:
    """Return the rule that erased each part: `code`, `output` or `PART`, `file NAME`, `artifact NAME`."""
    return {PART if each.partly else f"{each.what} {each.name.text}".strip(): each.rule for each in erasures}


def erased_sentence(what: str, rules: Mapping[str, str]) -> str:
    """Return a sentence that a part was erased, and by which rule; empty if it was not."""
    the = what if what == PART else f"the {what}"
    return (
        f"{the[0].upper()}{the[1:]} was erased by retention: {rules[what]}. {HASH}" if what in rules else ""
    )


def erased_lines(rules: Mapping[str, str]) -> list[list[Part]]:
    """Return a heading and a line for each erased part; empty if nothing was erased."""
    if not rules:
        return []
    lines: list[list[Part]] = [
        [(f" {clip(what, 40)}", "warning"), (f"  {rule}", "muted")] for what, rule in rules.items()
    ]
    return [[], [("Erased by retention", "bold muted")], *lines]


@contextlib.contextmanager
def report_erased(report: Callable[[str], object]) -> Iterator[None]:
    """Report in a sentence that content was erased, if the engine answers so.

    Raises:
        Problem: the engine answers with any other error.
    """
    try:
        yield
    except Problem as problem:
        if problem.status != ERASED:
            raise
        report(f"{problem.title[:1].upper()}{problem.title[1:]}. {HASH}")
