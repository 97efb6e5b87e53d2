"""Python analysis: one pass over the syntax tree that follows aliases, constants and taint."""

from __future__ import annotations

import ast

from engine.analysis.limits import TOO_DEEP
from engine.analysis.python import allowlist, sinks
from engine.analysis.python.evaluate import expressions, functions, statements
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.parse import lexical
from engine.analysis.python.parse.source import calm, parsable_part, parse
from engine.analysis.python.parse.unparsed import read_words, syntax_violation
from engine.analysis.raw_analysis import RawAnalysis
from engine.models import Span
from engine.settings import AnalysisSettings

__all__ = ["analyse_python", "expressions", "sinks", "statements"]

_START = Span(line=1, column=1, end_line=1, end_column=1)


def analyse_python(source: str, settings: AnalysisSettings, depth: int) -> RawAnalysis:
    """Return what the Python in `source` does; where it does not parse, what is found in its parts."""
    with calm():
        try:
            return _walked(Evaluator(source, settings, depth), parse(source, keep=depth == 0))
        except (SyntaxError, ValueError) as error:
            return _unparsed(source, settings, depth, error)
        except (RecursionError, MemoryError):
            found = Evaluator(source, settings, depth)
            found.found.violations.append(TOO_DEEP.violation(_START, "Nested too deeply to analyse"))
            found.found.add(read_words(source, found.lines))
            lexical.look(found)
            return found.found


def _walked(evaluator: Evaluator, tree: ast.Module) -> RawAnalysis:
    evaluator.run(tree.body)
    functions.read_pending(evaluator)
    sinks.environment.conclude(evaluator)
    lexical.look(evaluator)
    lexical.look_at_names(evaluator, tree)
    if evaluator.settings.profile == "allow":
        allowlist.check(evaluator, tree)
    evaluator.release()
    return evaluator.found


def _unparsed(
    source: str, settings: AnalysisSettings, depth: int, error: SyntaxError | ValueError
) -> RawAnalysis:
    evaluator = Evaluator(source, settings, depth)
    evaluator.found.complete = False
    evaluator.found.violations.append(syntax_violation(evaluator.lines, error))
    tree, shifted = parsable_part(source, error)
    if tree is not None and not shifted and tree.body:
        try:
            _walked(evaluator, tree)
        except (RecursionError, MemoryError):
            evaluator.found.violations.append(TOO_DEEP.violation(_START, "Nested too deeply to analyse"))
    evaluator.found.add(read_words(source, evaluator.lines))
    return evaluator.found
