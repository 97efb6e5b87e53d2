"""The evaluator: dispatches every node by its type, and collects violations and effects."""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Any

from engine.analysis.embedded import analyse_embedded, at, from_point
from engine.analysis.grouping import MAX_RELATED
from engine.analysis.positions import Lines
from engine.analysis.python.evaluate.scopes import PythonFunction, PythonScope
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.rule import Rule
from engine.common.text import Untrusted
from engine.models import Certainty, Confidence, EffectKind, Evidence, Language, Level, PredictedEffect, Span
from engine.settings import AnalysisSettings

Expression = Callable[["Evaluator", Any], PythonValue | None]
Statement = Callable[["Evaluator", Any], None]

EXPRESSIONS: dict[type[ast.AST], Expression] = {}
STATEMENTS: dict[type[ast.AST], Statement] = {}

_MAX_REPEATED = MAX_RELATED + 1
_MAX_EMBEDDED = 60
_MAX_STEPS = 40_000


class Evaluator:
    """One pass over one syntax tree."""

    def __init__(self, source: str, settings: AnalysisSettings, depth: int) -> None:
        self.source = source
        self.lines = Lines(source)
        self.settings = settings
        self.depth = depth
        self.found = RawAnalysis()
        self.scope = PythonScope()
        self.pending: deque[PythonFunction] = deque()
        self.functions: list[PythonFunction] = []
        self.relevant = 0
        """How many constructs that rules look at were met: is a function worth reading again?"""
        self.inlining = 0
        self.steps = _MAX_STEPS
        """What is left for reading functions again and for computing comprehensions."""
        self.loops: list[ast.stmt | ast.expr] = []
        """Loops and comprehensions around what is looked into, the innermost last."""
        self.facts: dict[str, list[ast.AST]] = {}
        """Constructs that only mean something together, by kind."""
        self.downloaded: set[str] = set()
        """Paths that content from the network was written to."""
        self.texts: list[ast.Constant] = []
        """Literals of text and bytes, except docstrings."""
        self.lists: list[ast.List | ast.Tuple | ast.Set] = []
        """Long displays of nothing but literals."""
        self.raised: PythonValue | None = None
        """The last exception raised that holds something."""
        self.patched: dict[str, PythonValue | None] = {}
        """What attributes of modules were replaced by, by qualified name."""
        self.stars: list[str] = []
        """Modules whose every name was imported."""
        self._reported: dict[tuple[object, ...], int] = {}
        self._counts: Counter[tuple[str, str]] = Counter()
        self._seen: set[tuple[object, ...]] = set()
        self._embedded: set[str] = set()
        self._embeddings = 0

    # --- the pass ---

    def evaluate(self, node: ast.expr) -> PythonValue | None:
        """Return what is known about an expression, after looking into all of it."""
        return EXPRESSIONS[type(node)](self, node)

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Look into statements in order."""
        for node in body:
            handler = STATEMENTS.get(type(node))
            if handler is not None:
                handler(self, node)

    def release(self) -> None:
        """Break the cycles of scopes, functions and classes, so that the tree is freed at once."""
        self.scope.names.clear()
        for function in self.functions:
            function.scope.names.clear()
            if function.owner is not None:
                function.owner.attributes.clear()

    # --- what was found ---

    def span(self, node: Any) -> Span:
        """Return where `node` is, in characters."""
        return self.lines.span_of_bytes(
            node.lineno,
            node.col_offset,
            node.end_lineno or node.lineno,
            node.end_col_offset or node.col_offset,
        )

    def report(
        self,
        rule: Rule,
        node: Any,
        message: str,
        *,
        severity: Level | None = None,
        confidence: Confidence | None = None,
        value: PythonValue | None = None,
    ) -> None:
        """Add a violation at `node`, with the trail and the layers of the value that it is about."""
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        key = (rule.id, *place)
        known = self._reported.get(key)
        level = severity or rule.severity
        self._counts[rule.id, message] += 1
        if self._counts[rule.id, message] > _MAX_REPEATED:
            return
        if known is not None and self.found.violations[known].severity.rank >= level.rank:
            return
        violation = rule.violation(
            self.span(node),
            message,
            severity=severity,
            confidence=confidence,
            evidence=self._evidence(value),
            layers=value.layers if value is not None else (),
        )
        if known is not None:
            self.found.violations[known] = violation
            return
        self._reported[key] = len(self.found.violations)
        self.found.violations.append(violation)

    def _evidence(self, value: PythonValue | None) -> tuple[Evidence, ...]:
        if value is None or not value.trail:
            return ()
        return tuple(Evidence(span=self.span(node), text=Untrusted(self.code(node))) for node in value.trail)

    def code(self, node: Any, limit: int = 120) -> str:
        """Return the source of `node`, shortened."""
        lines = self.lines
        start = lines.offset(node.lineno, lines.column(node.lineno, node.col_offset))
        end = lines.offset(node.end_lineno, lines.column(node.end_lineno, node.end_col_offset))
        text = self.source[start : min(end, start + limit)]
        return text if end - start <= limit else text + " …"

    def add_effect(
        self, kind: EffectKind, value: str | None, node: Any, *, pattern: bool = False, note: str = ""
    ) -> None:
        """Add an effect of the code; a value of None is known only at run time."""
        certainty = Certainty.PATTERN if pattern else Certainty.EXACT
        if value is None:
            certainty, value = Certainty.UNKNOWN, ""
        clean = value.encode("utf-8", "replace").decode()[:500]
        self.found.effects.append(
            PredictedEffect(
                kind=kind, value=Untrusted(clean), certainty=certainty, lines=(node.lineno,), note=note
            )
        )

    def add_fact(self, kind: str, node: ast.AST) -> None:
        """Record a construct that matters only together with others."""
        self.facts.setdefault(kind, []).append(node)

    # --- code within code ---

    def embed(
        self, code: str, language: Language, node: ast.AST, value: PythonValue | None, layer: str
    ) -> RawAnalysis:
        """Analyse code that a constant holds, and add what is found at its place in this code."""
        self._embeddings += 1
        key = ("embedded", language, code, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        if not code.strip() or key in self._seen or self._embeddings > _MAX_EMBEDDED:
            return RawAnalysis()
        self._seen.add(key)
        self._embedded.add(code)
        layers = value.layers if value is not None else ()
        place = self._place(code, node, value)
        found = analyse_embedded(code, language, self.settings, self.depth, place=place, layer=layer)
        if layers:
            found.violations = [violation.within(layers) for violation in found.violations]
        self.found.add(found)
        return found

    def was_embedded(self, code: str) -> bool:
        """Whether this very code was read before as code within this one."""
        return code in self._embedded

    def _place(self, code: str, node: ast.AST, value: PythonValue | None) -> Callable[[Span], Span]:
        literal = value.node if value is not None else None
        if literal is None:
            return at(self.span(node))
        text = self.code(literal, limit=len(code) + 16)
        index = text.find(code)
        if index < 0 or len(text) - index - len(code) > 3 or "\r" in text:
            return at(self.span(literal))
        column = self.lines.column(literal.lineno, literal.col_offset)
        start = self.lines.offset(literal.lineno, column) + index
        return from_point(*self.lines.point(start))
