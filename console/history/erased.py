"""What the rules of retention erased of a submission, in words."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from console.safety.text import Part, clip
from engine.common.errors import Problem
from engine.models import Erasure

ERASED = 410
"""What the engine answers for what was erased."""
HASH = "Its hash is in the events."
PART = "part of the output"


def rules_by_item(erasures: Iterable[Erasure]) -> dict[str, str]:
    """Return the rule that erased each thing: `code`, `output` or `PART`, `file NAME`, `artifact NAME`."""
    return {PART if each.partly else f"{each.what} {each.name.text}".strip(): each.rule for each in erasures}


def erased_sentence(what: str, rules: Mapping[str, str]) -> str:
    """Return in words that something was erased and by which rule; nothing where it is kept."""
    the = what if what == PART else f"the {what}"
    return (
        f"{the[0].upper()}{the[1:]} was erased by retention: {rules[what]}. {HASH}" if what in rules else ""
    )


def erased_lines(rules: Mapping[str, str]) -> list[list[Part]]:
    """Return a heading and a line for each thing that was erased; nothing where all is kept."""
    if not rules:
        return []
    lines: list[list[Part]] = [
        [(f" {clip(what, 40)}", "warning"), (f"  {rule}", "muted")] for what, rule in rules.items()
    ]
    return [[], [("Erased by retention", "bold muted")], *lines]


@contextlib.contextmanager
def report_erased(tell: Callable[[str], object]) -> Iterator[None]:
    """Tell in words that something was erased, where the engine answers that.

    Raises:
        Problem: it answers anything else that is no content.
    """
    try:
        yield
    except Problem as problem:
        if problem.status != ERASED:
            raise
        tell(f"{problem.title[:1].upper()}{problem.title[1:]}. {HASH}")
