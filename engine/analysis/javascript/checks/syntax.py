"""What is no JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.javascript.model import Program
from engine.analysis.javascript.rules.syntax import SYNTAX
from engine.analysis.syntax import errors
from engine.models import Violation


def check(program: Program) -> Iterator[Violation]:
    """Yield the first place that is no JavaScript, with the others as related."""
    nodes = zip(errors(program.tree.root), range(20), strict=False)
    places = [program.tree.span(node) for node, _ in nodes]
    if places:
        message = f"Not valid JavaScript in {len(places)} place{'s'[: len(places) > 1]}"
        yield SYNTAX.violation(places[0], message, related=tuple(places[1:]))
