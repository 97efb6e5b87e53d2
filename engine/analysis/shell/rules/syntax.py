"""Text that is not shell, or that the grammar cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.shell.declare import LOW, rule
from engine.analysis.shell.model import Script
from engine.analysis.syntax import errors
from engine.models import Violation

SYNTAX = rule(
    "sh-syntax",
    "Part of the script could not be read",
    "unreadable",
    LOW,
    attack="Hides commands in text that bash reads otherwise, or runs the lines before a syntax error.",
    why="LOW by itself, but the analysis is incomplete: this is no shell, or shell that the grammar lacks.",
    fix="Check with `bash -n` that it is shell; write what is marked in a simpler way.",
    match=("if true; then", "echo 'abc", "<?php echo 1; ?>"),
    not_match=("if true; then ls; fi", "echo ${x:$i:1} ${y~~}", "exec 5<>f"),
    cwe=1286,
    owasp=None,
)


def check(script: Script) -> Iterator[Violation]:
    """Yield the first place that could not be read, with the others as related."""
    places = [script.tree.span(node) for node, _ in zip(errors(script.tree.root), range(20), strict=False)]
    if places:
        yield SYNTAX.violation(
            places[0],
            f"Could not be read in {len(places)} place{'s'[: len(places) > 1]}",
            related=tuple(places[1:]),
        )
