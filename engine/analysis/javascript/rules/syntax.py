"""Invalid JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.javascript.declare import HIGH, rule
from engine.analysis.javascript.model import Program
from engine.analysis.syntax import errors
from engine.models import Violation

SYNTAX = rule(
    "js-syntax",
    "The code is not valid JavaScript",
    "unreadable",
    HIGH,
    attack="Breaks the grammar so that an analyser sees less than the interpreter runs.",
    why="HIGH: the readable part is analysed; the rest is unknown.",
    fix="Submit code that `node --check` accepts, in the declared language.",
    match=("function (", "let x = {", "import os\nprint('hi')\ndef f():\n  pass"),
    not_match=("let x = {};", "const a = b?.c ?? d;", "export default async () => {}"),
    cwe=1286,
    owasp=None,
)


def check(program: Program) -> Iterator[Violation]:
    """Yield the first place that is no JavaScript, with the others as related."""
    nodes = zip(errors(program.tree.root), range(20), strict=False)
    places = [program.tree.span(node) for node, _ in nodes]
    if places:
        message = f"Not valid JavaScript in {len(places)} place{'s'[: len(places) > 1]}"
        yield SYNTAX.violation(places[0], message, related=tuple(places[1:]))
