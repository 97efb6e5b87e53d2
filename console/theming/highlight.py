"""Syntax colours: code in, tokens per line out. Pure; safe to run in a thread."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from engine.models import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

Token = tuple[int, int, str]
"""Start and end in characters of the line, and the style."""

MAX_CHARACTERS = 512 * 1024
MAX_LINE = 2000
_LEXERS: dict[str, str] = {Language.SHELL: "bash"}
"""The names of lexers that are not those of the language."""
_FILES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "sh": "bash", "bash": "bash", "json": "json", "yaml": "yaml", "yml": "yaml",
    "toml": "toml", "ini": "ini", "sql": "sql", "css": "css",
}  # fmt: skip
_loaded: dict[str, Any] = {}
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


def language_of(name: str) -> str:
    """Return the name of the language that a file's name says; nothing for one that has no colours."""
    return _FILES.get(name.lower().rpartition(".")[2], "") if "." in name else ""


def highlight(code: str, language: str) -> list[list[Token]]:
    """Return the tokens of every line; none at all for code so large that a lexer could stall on it."""
    return list(highlighted_lines(code, language))


def highlighted_lines(code: str, language: str) -> Iterator[list[Token]]:
    """Yield the tokens of one line after the other, read only as far as they are asked for."""
    if not language or len(code) > MAX_CHARACTERS or any(len(line) > MAX_LINE for line in code.split("\n")):
        yield from ([] for _ in range(code.count("\n") + 1))
        return
    line, start = list[Token](), 0
    for _, kind, value in lexer_of(language).get_tokens_unprocessed(code):
        style = _style_name(str(kind))
        for number, piece in enumerate(value.split("\n")):
            if number:
                yield line
                line, start = [], 0
            if style and piece:
                line.append((start, start + len(piece), style))
            start += len(piece)
    yield line


def lexer_of(language: str) -> Any:
    """Return the lexer of a language; the first one of a process takes tens of milliseconds to load.

    `get_tokens` drops a BOM and rewrites line ends, so its offsets drift; `get_tokens_unprocessed` is exact.
    """
    if language not in _loaded:
        from pygments.lexers import get_lexer_by_name  # noqa: PLC0415  costs start-up time

        _loaded[language] = get_lexer_by_name(_LEXERS.get(language, language))
    return _loaded[language]


def is_loaded(language: str) -> bool:
    """Say whether the lexer of a language is there at once, or none is needed."""
    return not language or language in _loaded


@cache
def _style_name(kind: str) -> str:
    return next((style for prefix, style in _STYLES if kind.startswith(prefix)), "")
