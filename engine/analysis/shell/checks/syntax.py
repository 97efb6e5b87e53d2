"""What bash itself could not read either."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.shell.model import Script
from engine.analysis.shell.rules.syntax import SYNTAX
from engine.analysis.syntax import errors
from engine.models import Violation


def check(script: Script) -> Iterator[Violation]:
    """Yield the first place that is no shell, with the others as related."""
    places = [script.tree.span(node) for node, _ in zip(errors(script.tree.root), range(20), strict=False)]
    if places:
        yield SYNTAX.violation(
            places[0],
            f"Not valid shell in {len(places)} place{'s'[: len(places) > 1]}",
            related=tuple(places[1:]),
        )
