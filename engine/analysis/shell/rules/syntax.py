"""Invalid shell."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.shell.declare import HIGH, rule
from engine.analysis.shell.model import Script
from engine.analysis.syntax import errors
from engine.models import Violation

SYNTAX = rule(
    "sh-syntax",
    "The code is not valid shell",
    "unreadable",
    HIGH,
    attack="Breaks the grammar at a point where the shell has already run every line before it.",
    why="HIGH: everything before the error still runs, and the rest was not read.",
    fix="Submit code that `bash -n` accepts, in the declared language.",
    match=("if true; then", "echo 'abc", "<?php echo 1; ?>"),
    not_match=("if true; then ls; fi", "echo ${x:$i:1} ${y~~}", "exec 5<>f"),
    cwe=1286,
    owasp=None,
)


def check(script: Script) -> Iterator[Violation]:
    """Yield the first place that is no shell, with the others as related."""
    places = [script.tree.span(node) for node, _ in zip(errors(script.tree.root), range(20), strict=False)]
    if places:
        yield SYNTAX.violation(
            places[0],
            f"Not valid shell in {len(places)} place{'s'[: len(places) > 1]}",
            related=tuple(places[1:]),
        )
