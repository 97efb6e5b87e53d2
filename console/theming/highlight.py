"""Syntax colours: code in, tokens per line out. Pure; safe to run in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.models import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

Token = tuple[int, int, str]
"""Start and end in characters of the line, and the style."""

MAX_CHARACTERS = 512 * 1024
MAX_LINE = 2000
_LEXERS = {Language.PYTHON: "python", Language.JAVASCRIPT: "javascript", Language.SHELL: "bash"}
_STYLES = (
    ("Token.Comment", "code-comment"),
    ("Token.Keyword.Constant", "code-number"),
    ("Token.Keyword", "code-keyword"),
    ("Token.Operator.Word", "code-keyword"),
    ("Token.Literal.String", "code-string"),
    ("Token.Literal.Number", "code-number"),
    ("Token.Name.Function", "code-name"),
    ("Token.Name.Class", "code-name"),
    ("Token.Name.Builtin", "code-name"),
    ("Token.Name.Decorator", "code-name"),
    ("Token.Name.Namespace", "code-name"),
    ("Token.Operator", "code-operator"),
    ("Token.Punctuation", "code-operator"),
)


def highlight(code: str, language: Language) -> list[list[Token]]:
    """Return the tokens of every line; none at all for code so large that a lexer could stall on it."""
    lines: list[list[Token]] = [[] for _ in range(code.count("\n") + 1)]
    if len(code) > MAX_CHARACTERS or any(len(line) > MAX_LINE for line in code.split("\n")):
        return lines
    row, start = 0, 0
    for _, kind, value in _tokens(code, language):
        style = _style_name(str(kind))
        pieces = value.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                row, start = row + 1, 0
            if style and piece:
                lines[row].append((start, start + len(piece), style))
            start += len(piece)
    return lines


def _tokens(code: str, language: Language) -> Iterator[tuple[int, Any, str]]:
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415  costs start-up time

    # `get_tokens` drops a BOM and rewrites line ends, so its offsets drift; this one is exact.
    return get_lexer_by_name(_LEXERS[language]).get_tokens_unprocessed(code)


def _style_name(kind: str) -> str:
    return next((style for prefix, style in _STYLES if kind.startswith(prefix)), "")
