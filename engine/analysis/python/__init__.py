"""Python: one pass over the syntax tree, with aliases, constants and taint followed."""

from __future__ import annotations

import ast

from engine.analysis.findings import Findings
from engine.analysis.limits import TOO_DEEP
from engine.analysis.python import allowlist, sinks
from engine.analysis.python.evaluate import expressions, functions, statements
from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.parse import lexical
from engine.analysis.python.parse.source import calm, parsable_part, parse
from engine.analysis.python.parse.unparsed import read_words, syntax_violation
from engine.models import Span
from engine.settings import AnalysisSettings

__all__ = ["analyse_python", "expressions", "sinks", "statements"]

_START = Span(line=1, column=1, end_line=1, end_column=1)


def analyse_python(source: str, settings: AnalysisSettings, depth: int) -> Findings:
    """Return what the Python in `source` does; where it does not parse, what can be told of it."""
    with calm():
        try:
            return _walked(Walk(source, settings, depth), parse(source))
        except (SyntaxError, ValueError) as error:
            return _unparsed(source, settings, depth, error)
        except (RecursionError, MemoryError):
            found = Walk(source, settings, depth)
            found.found.violations.append(TOO_DEEP.violation(_START, "Nested deeper than can be followed"))
            found.found.add(read_words(source, found.lines))
            lexical.look(found)
            return found.found


def _walked(walk: Walk, tree: ast.Module) -> Findings:
    walk.run(tree.body)
    functions.read_pending(walk)
    sinks.environment.conclude(walk)
    lexical.look(walk)
    lexical.look_at_names(walk, tree)
    if walk.settings.profile == "allow":
        allowlist.check(walk, tree)
    walk.forget()
    return walk.found


def _unparsed(
    source: str, settings: AnalysisSettings, depth: int, error: SyntaxError | ValueError
) -> Findings:
    walk = Walk(source, settings, depth)
    walk.found.complete = False
    walk.found.violations.append(syntax_violation(walk.lines, error))
    tree, shifted = parsable_part(source, error)
    if tree is not None and not shifted and tree.body:
        try:
            _walked(walk, tree)
        except (RecursionError, MemoryError):
            walk.found.violations.append(TOO_DEEP.violation(_START, "Nested deeper than can be followed"))
    walk.found.add(read_words(source, walk.lines))
    return walk.found
