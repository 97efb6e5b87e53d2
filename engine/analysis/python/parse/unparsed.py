"""Reads code that does not parse as words."""

from __future__ import annotations

import re

from engine.analysis.positions import Lines
from engine.analysis.python.declare import python_rule
from engine.analysis.raw_analysis import RawAnalysis
from engine.models import Confidence, Level, Violation

SYNTAX = python_rule(
    "py-syntax",
    "The code does not parse",
    "unreadable",
    Level.HIGH,
    attack="Uses syntax that this analyser does not know but another interpreter runs.",
    why="HIGH: code that does not parse is analysed only in part.",
    fix="Submit code that Python 3.11 parses.",
    match=("print('a'", "def f(:\n    pass", "x = \x00"),
    not_match=("print('a')",),
    cwe=1286,
)
TOKENS = python_rule(
    "py-unparsed-name",
    "A dangerous name appears in code that does not parse",
    "exec_eval",
    Level.MEDIUM,
    attack="Does the same as in code that parses.",
    why="MEDIUM: found by its text, not by its meaning.",
    fix="Submit code that parses.",
    match=("eval(x) +", "import os\nos.system('ls'"),
    not_match=("print(x",),
    confidence=Confidence.LOW,
    cwe=1286,
)


_MAX_HITS = 200
_WORDS = re.compile(
    r"\b(?:eval|exec|execfile|compile|__import__)\s*\("
    r"|\bos\s*\.\s*(?:system|popen\w*|exec\w+|spawn\w+|remove|unlink|kill|fork|dup2)\b"
    r"|\bsubprocess\s*\.\s*\w+|\b(?:c?[pP]ickle|marshal|dill|shelve|joblib)\s*\.\s*(?:loads?|open)\b"
    r"|\byaml\s*\.\s*load\b(?!.*[Ss]afe)|\bcommands\s*\.\s*get\w+|\bpty\s*\.\s*spawn\b|\bsocket\s*\.\s*socket\b"
    r"|\bshutil\s*\.\s*(?:rmtree|move|copy\w*)\b|\b(?:requests|urllib\w*)\s*\.\s*(?:get|post|urlopen|request\w*)\b"
    r"|\bctypes\s*\.\s*\w+|__(?:subclasses|globals|builtins|mro|bases)__"
    r"|\bPopen\s*\(|\bcheck_(?:call|output)\s*\(|\bshell\s*=\s*True"
)


def syntax_violation(lines: Lines, error: Exception) -> Violation:
    """Return the violation of code that does not parse, at the place where it stopped."""
    line = min(max(getattr(error, "lineno", None) or 1, 1), len(lines))
    width = len(lines.line(line).rstrip("\r\n"))
    column = min(max(getattr(error, "offset", None) or 1, 1), width + 1)
    start = lines.offset(line, column)
    message = getattr(error, "msg", None) or str(error) or type(error).__name__
    return SYNTAX.violation(lines.span(start, start + (column <= width)), f"Does not parse: {message}"[:200])


def read_words(source: str, lines: Lines) -> RawAnalysis:
    """Return the dangerous names in the text."""
    found = RawAnalysis(complete=False)
    for number, match in enumerate(_WORDS.finditer(source)):
        if number >= _MAX_HITS:
            break
        name = re.sub(r"\s+", "", match.group()).rstrip("(")
        found.violations.append(
            TOKENS.violation(
                lines.span(*match.span()), f"`{name}` in code that does not parse", severity=Level.MEDIUM
            )
        )
    return found
