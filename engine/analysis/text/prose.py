"""Which places of a source are strings and comments: text for people, where letters of any kind are ordinary.

Where a place could be either, it is code: what is found there is graver.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from engine.models import Language

_PYTHON = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
    |(?P<prefix>\b[A-Za-z]{1,2})?(?P<body>(?P<long>'{3}|"{3})(?:\\.|(?!(?P=long)).)*
    |'(?:\\.|[^'\\\r\n])*|"(?:\\.|[^"\\\r\n])*)(?:(?P=long)|['"])?""",
    re.VERBOSE | re.DOTALL,
)
_JAVASCRIPT = re.compile(
    r"""(?P<comment>//[^\r\n]*|/\*(?:(?!\*/).)*)
    |(?P<prefix>`)(?P<body>(?:\\.|[^`\\])*)`?
    |(?:^|(?<=[=(,:;!&|?{\[\n]))[ \t]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]|[^/\\\r\n\[])+/
    |'(?:\\.|[^'\\\r\n])*'?|"(?:\\.|[^"\\\r\n])*"?""",
    re.VERBOSE | re.DOTALL,
)
_SHELL = re.compile(
    r"""(?P<comment>(?:^|(?<=[\s;&|()]))\#[^\r\n]*)
    |\\.|'[^']*'?|(?P<prefix>")(?P<body>(?:\\.|[^"\\])*)"?""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_TOKENS = {Language.PYTHON: _PYTHON, Language.JAVASCRIPT: _JAVASCRIPT, Language.SHELL: _SHELL}
_CODE_INSIDE = {
    Language.PYTHON: re.compile(r"\{\{|\}\}|(?P<open>\{)|(?P<close>\})"),
    Language.JAVASCRIPT: re.compile(r"\\.|(?P<open>\$\{|\{)|(?P<close>\})"),
    Language.SHELL: re.compile(r"\\.|(?P<open>\$\(|\$\{|\()|(?P<close>[)}])|(?P<both>`)"),
}


class Prose:
    """The strings and comments of one source, read when they are first asked for."""

    def __init__(self, source: str, language: Language) -> None:
        self._source, self._language = source, language

    def covers(self, position: int) -> bool:
        """Return whether a place is inside a string or a comment, and not in code within a string."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._spans[index][1]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._spans]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [
            span
            for token in _TOKENS[self._language].finditer(self._source)
            if not token[0].startswith("\\")
            for span in (self._between_code(token) if self._holds_code(token) else (token.span(),))
        ]

    def _holds_code(self, token: re.Match[str]) -> bool:
        prefix = token["prefix"]
        if self._language is Language.PYTHON:
            return prefix is not None and bool({"f", "t"} & set(prefix.lower()))
        return prefix is not None

    def _between_code(self, token: re.Match[str]) -> list[tuple[int, int]]:
        """Return what is text in a string with code in braces or parentheses."""
        start, end = token.span("body")
        found, depth, quoted = [], 0, False
        for inner in _CODE_INSIDE[self._language].finditer(self._source, start, end):
            before = depth > 0 or quoted
            kind = inner.lastgroup
            depth = max(0, depth + (kind == "open") - (kind == "close"))
            quoted ^= kind == "both"
            if (depth > 0 or quoted) != before:
                if not before:
                    found.append((start, inner.start()))
                start = inner.end()
        return found if depth > 0 or quoted else [*found, (start, end)]
