"""Patterns of `match`: names bound, and attributes that class patterns fetch."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import targets
from engine.analysis.python.evaluate.attributes import member
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue


def bind_pattern(evaluator: Evaluator, pattern: ast.pattern, subject: PythonValue | None) -> None:
    """Bind the names of a `match` pattern."""
    if isinstance(pattern, ast.MatchAs):
        _bind_name(evaluator, pattern, subject)
    elif isinstance(pattern, ast.MatchSequence):
        for index, part in enumerate(pattern.patterns):
            bind_pattern(evaluator, part, targets.item(subject, index))
    elif isinstance(pattern, ast.MatchOr):
        for part in pattern.patterns:
            bind_pattern(evaluator, part, subject)
    elif isinstance(pattern, ast.MatchClass):
        _bind_class_pattern(evaluator, pattern, subject)
    else:
        _bind_elements(evaluator, pattern, subject)


def _bind_name(evaluator: Evaluator, pattern: ast.MatchAs, subject: PythonValue | None) -> None:
    if pattern.pattern is not None:
        bind_pattern(evaluator, pattern.pattern, subject)
    if pattern.name:
        evaluator.scope.names[pattern.name] = subject


def _bind_elements(evaluator: Evaluator, pattern: ast.pattern, subject: PythonValue | None) -> None:
    """Bind the names of a mapping or a star to what any element of the subject is."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchClass):
            _bind_class_pattern(evaluator, node, None)
        for field in ("name", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                evaluator.scope.names[name] = targets.element(subject)


def _bind_class_pattern(evaluator: Evaluator, pattern: ast.MatchClass, subject: PythonValue | None) -> None:
    """Bind what a class pattern fetches: its keywords are attributes of the subject (PEP 634)."""
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        bind_pattern(evaluator, part, member(evaluator, part, subject, name))
    for part in pattern.patterns:
        bind_pattern(evaluator, part, subject)
