"""Checks without the syntax tree: suppression comments, disguised names, suspicious strings."""

from __future__ import annotations

import ast
import re
import unicodedata

from engine.analysis.python import literals
from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import ALL_BUILTINS, SENSITIVE_MODULES
from engine.analysis.python.rules.execution import INDIRECT_NAME
from engine.analysis.python.word_lists import words
from engine.models import Level

DISGUISED = python_rule(
    "py-disguised-name",
    "A name is written in look-alike characters",
    "obfuscation",
    Level.HIGH,
    attack="Writes `eval` in letters that a search does not find; Python normalises them (NFKC).",
    why="HIGH: the name is one of Python's own.",
    fix="Use plain letters.",
    match=("\U0001d452val('1')", "import os\nos.\uff53ystem('ls')"),
    not_match=("h\xf6he = 1", "eval = 1"),
    cwe=1007,
)
SUPPRESSION = python_rule(
    "py-suppression",
    "A comment asks analysers to ignore a line",
    "unreadable",
    Level.LOW,
    attack="Asks tools to skip the line.",
    why="LOW: the comment is reported and has no effect here.",
    fix="Remove the comment.",
    match=("import os\nos.system('ls')  # nosec", "x = 1  # noqa: S102"),
    not_match=("x = 1  # no second try",),
)


_SUPPRESSION = re.compile(
    r"#[^\n]*?\b(nosec\b|noqa\s*:\s*S\d+|nosemgrep\b|pylint\s*:\s*disable|type:\s*ignore\[)"
)
_SUPPRESSING = ("nosec", "noqa", "nosemgrep", "disable", "ignore[")
_WORD = re.compile(r"\w+")
_NAME_HINTS = (
    "____",
    "O0",
    "0O",
    "lIl",
    "IlI",
    "l1l",
    "1l1",
    "_0x",
    "__PYO",
    "__obfus",
    "pyarmor",
    "pyminify",
    "__builtins__",
)


def look(evaluator: Evaluator) -> None:
    """Look at comments, at the letters of names, and at the texts that the pass met."""
    source = evaluator.source
    if "#" in source and any(word in source for word in _SUPPRESSING):
        _suppressions(evaluator)
    if not source.isascii():
        _disguised(evaluator)
    for node in evaluator.texts:
        literals.check_text(evaluator, node)
    for display in evaluator.lists:
        literals.check_numbers(evaluator, display)


def look_at_names(evaluator: Evaluator, tree: ast.AST) -> None:
    """Look for names that an obfuscator gives and for `__builtins__`, where the source has their letters."""
    if not any(hint in evaluator.source for hint in _NAME_HINTS):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            literals.check_name(evaluator, node, node.id)
        elif isinstance(node, ast.Name) and node.id == "__builtins__":
            evaluator.report(INDIRECT_NAME, node, "`__builtins__` has every built-in function")


def _suppressions(evaluator: Evaluator) -> None:
    for match in _SUPPRESSION.finditer(evaluator.source):
        evaluator.found.violations.append(
            SUPPRESSION.violation(
                evaluator.lines.span(*match.span()), f"Asks for silence: `{match.group()[:60]}`; not obeyed"
            )
        )


def _disguised(evaluator: Evaluator) -> None:
    """Names that are plain only after NFKC, which Python applies to identifiers."""
    for match in _WORD.finditer(evaluator.source):
        word = match.group()
        if word.isascii():
            continue
        plain = unicodedata.normalize("NFKC", word)
        if (
            plain != word
            and plain.isascii()
            and (plain in ALL_BUILTINS or plain in SENSITIVE_MODULES or plain in _TELLING_NAMES)
        ):
            evaluator.found.violations.append(
                DISGUISED.violation(evaluator.lines.span(*match.span()), f"Python reads this as `{plain}`")
            )


_TELLING_NAMES = frozenset(
    words("system popen spawn remove rmtree unlink environ loads run call kill connect")
)
