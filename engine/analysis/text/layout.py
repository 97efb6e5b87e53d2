"""Code far to the right, far down, or under a misleading heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.positions import Lines
from engine.analysis.text.rules import COOKIE, FAR_DOWN, FAR_RIGHT, LONG_LINE, SHEBANG, SUPPRESSION
from engine.models import Language, Level, Violation

_SILENCE = re.compile(
    r"(?://|/\*|#)[ \t]*(?:nosemgrep\b|NOSONAR\b|nosec\b|eslint-disable[\w-]*|jshint ignore"
    r"|@ts-(?:ignore|nocheck)|shellcheck disable=|codeql\[|lgtm\[|gitleaks:allow|pragma: allowlist"
    r"|istanbul ignore)[^\r\n]{0,60}"
)
_LONG = re.compile(r"[^\r\n]{1000,}")
_GAP = re.compile(r"(?<=\S)[^\S\r\n]{80,}(?=[^\s#])")
_ODD_BLANKS = "\t\f\v\x1c\x1d\x1e\x1f"
_EMPTY = re.compile(r"\n(?:[^\S\n]*\n){40,}(?=[^\S\n]*\S)")
_SHEBANG = re.compile(r"#!\s*(\S+)(?:[^\S\n]+(?:-\S+[^\S\n]+)*(\S+))?")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN = re.compile(r"(?i)^(?:utf[-_]?8(?:[-_]?sig)?|ascii|us[-_]ascii|cp65001)$")
_LATIN = re.compile(
    r"(?i)^(?:iso[-_]?8859[-_]\d+|latin[-_]?\d+|cp125\d|windows[-_]125\d|euc[-_]\w+|gbk|big5|koi8\w*)$"
)
_PROGRAMS = {
    Language.PYTHON: r"(?:python|pypy|ipython|sage|uv|hy)[\d.]*",
    Language.JAVASCRIPT: r"node|nodejs|deno|bun|qjs|ts-node|tsx|zx",
    Language.SHELL: r"(?:ba|da|z|k|mk|a|rba|fi|c|tc)?sh[\d.]*|busybox|bats|expect",
}


def check(source: str, lines: Lines, language: Language) -> Iterator[Violation]:
    """Yield code in places that reviewers overlook, and headings that disagree with the language."""
    for match in _LONG.finditer(source) if _may_be_long(source) else ():
        size = match.end() - match.start()
        level = Level.MEDIUM if size >= 3000 else Level.LOW
        yield LONG_LINE.violation(lines.span(*match.span()), f"A line of {size:,} characters", severity=level)
        break
    for match in _GAP.finditer(source) if _may_gap(source) else ():
        if not source.startswith(("//", "/*"), match.end()):
            end = source.find("\n", match.end())
            span = lines.span(match.end(), len(source) if end < 0 else end)
            yield FAR_RIGHT.violation(span, f"Code behind {match.end() - match.start()} blanks")
            break
    for match in _EMPTY.finditer(source) if _may_be_empty(source) else ():
        count = match[0].count("\n") - 1
        level = Level.HIGH if count >= 100 else Level.MEDIUM
        span = lines.span(match.end(), match.end() + 1)
        yield FAR_DOWN.violation(span, f"Code behind {count} empty lines", severity=level)
        break
    yield from _headings(source, lines, language)
    if language is not Language.PYTHON:
        yield from _suppressions(source, lines)


def _suppressions(source: str, lines: Lines) -> Iterator[Violation]:
    for match in _SILENCE.finditer(source):
        message = f"Asks for silence: `{match[0][:60]}`; not obeyed"
        yield SUPPRESSION.violation(lines.span(*match.span()), message)


def _may_be_long(source: str) -> bool:
    """Whether a line of 1,000 characters is possible: one holds 500 from some multiple of 500 on."""
    return any("\n" not in source[start : start + 500] for start in range(0, len(source) - 499, 500))


def _may_gap(source: str) -> bool:
    """Whether a run of 80 blanks is possible: cheap, and never wrong with a no."""
    return " " * 80 in source or not source.isascii() or any(blank in source for blank in _ODD_BLANKS)


def _may_be_empty(source: str) -> bool:
    """Whether dozens of empty lines are possible: cheap, and never wrong with a no."""
    return "\n" * 41 in source or not source.isascii() or any(end in source for end in _BLANK_ENDS)


_BLANK_ENDS = tuple(f"{blank}\n" for blank in f" \r{_ODD_BLANKS}")


def _headings(source: str, lines: Lines, language: Language) -> Iterator[Violation]:
    first = _SHEBANG.match(source)
    if first is not None:
        program = first[2] if first[1].endswith("/env") and first[2] else first[1].rsplit("/", 1)[-1]
        if not re.fullmatch(_PROGRAMS[language], program.rsplit("/", 1)[-1]):
            message = f"The first line says {program[:40]}, the submission says {language}"
            yield SHEBANG.violation(lines.span(*first.span()), message)
    if language is not Language.PYTHON or "coding" not in source:
        return
    for number in (1, 2)[: len(lines)]:
        cookie = _COOKIE.match(lines.line(number))
        if cookie is None or _PLAIN.match(cookie[1]):
            continue
        harmless = _LATIN.match(cookie[1]) and source.isascii()
        start = lines.offset(number, cookie.start(1) + 1)
        level = Level.LOW if harmless else None
        span = lines.span(start, start + len(cookie[1]))
        yield COOKIE.violation(span, f"Declares the encoding {cookie[1]}", severity=level)
