"""Text that two readers take differently: the reviewer's screen, this analysis, and what runs the code.

Python, bash and Node end lines at different characters, and tree-sitter's grammars at others again: what one
takes for a comment is code for the next. Such text has no honest use in a program, so none of it is let pass.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from engine.analysis.positions import Lines
from engine.analysis.text.rules import READINGS
from engine.models import Language, Violation

_COMMON = re.compile("[\r\x00\x0b\x0c\x1c-\x1f\x85\u2028\u2029\ufeff](?!(?<=\r)\n)(?<!^\ufeff)")
"""A line end or a blank for one reader and none for another; NUL ends the text for some; a byte order mark
inside is a blank in JavaScript. `^` is the start of the text. One class of signs, for a search in C."""
_CONTINUED = re.compile(r"\\\r\n")
"""Bash continues no line here: the backslash quotes the carriage return."""
_COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""PEP 263."""
_LINE_END = re.compile("\r\n|\r|\n")
_HTML_COMMENT = re.compile("<!--|-->")
MOST_PLACES = 50


def check(source: str, lines: Lines, language: Language) -> Iterator[Violation]:
    """Yield one violation for all places of a kind that readers take differently."""
    for message, spans in _KINDS.items():
        found = [lines.span(start, _end(source, start, end)) for start, end in spans(source, language)]
        if found:
            yield READINGS.violation(found[0], message, related=tuple(found[1:MOST_PLACES]))


def _end(source: str, start: int, end: int) -> int:
    """Return where a span ends: a carriage return has no width, for the next line begins behind it."""
    return start + source[start:end].find("\r") if "\r" in source[start:end] else end


def _line_ends(source: str, language: Language) -> Iterator[tuple[int, int]]:
    for match in _COMMON.finditer(source):
        yield match.start(), match.end()


def _continuations(source: str, language: Language) -> Iterator[tuple[int, int]]:
    if language is Language.SHELL:
        for match in _CONTINUED.finditer(source):
            yield match.start(), match.end()


def _encodings(source: str, language: Language) -> Iterator[tuple[int, int]]:
    """Yield encoding declarations of Python, in the first two lines, that name any but UTF-8."""
    if language is not Language.PYTHON:
        return
    start = 0
    for _ in range(2):
        match = _COOKIE.match(source, start)
        if match and not _is_utf_8(match[1]):
            yield match.start(1), match.end(1)
        end = _LINE_END.search(source, start)
        if end is None:
            return
        start = end.end()


def _is_utf_8(name: str) -> bool:
    try:
        return codecs.lookup(name.replace("_", "-")).name == "utf-8"
    except LookupError:
        return False


def _html_comments(source: str, language: Language) -> Iterator[tuple[int, int]]:
    """Yield HTML-like comments, which scripts have and modules have not (ECMA-262, annex B.1.1)."""
    if language is Language.JAVASCRIPT:
        for match in _HTML_COMMENT.finditer(source):
            line = source[source.rfind("\n", 0, match.start()) + 1 : match.start()]
            if match[0] == "<!--" or not line.rpartition("*/")[2].strip():
                yield match.start(), match.end()


_KINDS = {
    "A character that ends a line for one reader and not for another": _line_ends,
    "Bash does not continue the line here; a carriage return follows the backslash": _continuations,
    "An encoding other than UTF-8 is declared": _encodings,
    "An HTML comment: a comment in scripts, code in modules": _html_comments,
}
