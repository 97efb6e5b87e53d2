"""Characters that hide, reorder or erase text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from engine.analysis.positions import Lines
from engine.analysis.text.prose import Prose
from engine.analysis.text.rules import BIDI, BLANK_NAME, CONTROL, INVISIBLE, SEPARATOR
from engine.common.unicode.repertoire import invisible
from engine.models import Language, Level, Span, Violation

MAX_PLACES = 50
"""How many characters of one kind are reported."""
_MOST_KINDS = 4
"""How many different controls have a violation each; more are one, as in a file that is no text."""
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_MARKS = re.compile("[\u200e\u200f\u061c]+")
_TAGS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]+")
_ELSEWHERE = re.compile(
    "[\u115f\u1160\u200e\u200f\u2028-\u202e\u2066-\u2069\u061c\u2800\u3164\uffa0"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
"""Invisible characters that have a rule of their own."""
_STYLE = "\ufe0e\ufe0f"
"""Variation selectors that choose between text and picture."""
_BLANK = re.compile("[\u115f\u1160\u3164\uffa0\u2800]+")
_COLOUR = re.compile(r"\x1b\[(?:(?:0?[0-7]|2[1-7]|3[1-79]|9[0-7])(?:;(?=\d))?)*m")
"""A colour or a style in which text stays readable: neither black, nor concealed, nor on a background."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\x80-\x84\x86-\x9f]+|\r(?!\n)")
_CALM = bytes((0x09, 0x0A, 0x0C, *range(0x20, 0x7F)))
"""What most code is made of: a text of nothing else hides nothing."""
_LOUD = re.compile("[\x00\x08\x1b\x7f\x9b\r]")
_SEPARATOR = re.compile("[\u2028\u2029\x85]")
_JOINERS = frozenset("\u200c\u200d")


def check(source: str, lines: Lines, language: Language, prose: Prose) -> Iterator[Violation]:
    """Yield characters that hide, reorder or erase. Source: CVE-2021-42574, UTR #36."""
    if not source.isascii():
        yield from _beyond_ascii(source, lines, language, prose)
    elif source.encode().translate(None, _CALM):
        yield from _controls(source, lines)


def _beyond_ascii(source: str, lines: Lines, language: Language, prose: Prose) -> Iterator[Violation]:
    yield from _controls(source, lines)
    for number, match in enumerate(_BIDI.finditer(source)):
        if number < MAX_PLACES:
            yield BIDI.violation(lines.span(*match.span()), f"Bidirectional control {_names(match[0])}")
    for match in _MARKS.finditer(source):
        yield BIDI.violation(
            lines.span(*match.span()), f"Direction mark {_names(match[0])}", severity=Level.LOW
        )
        break
    for match in _TAGS.finditer(source):
        hidden = "".join(chr(ord(char) - 0xE0000) for char in match[0] if 0xE0020 <= ord(char) < 0xE007F)
        if not (len(match[0]) == 6 and _is_flag(source, match.start())):
            yield INVISIBLE.violation(lines.span(*match.span()), f"Hidden text {hidden!r}")
            break
    yield from _invisibles(source, lines, prose)
    for match in _BLANK.finditer(source):
        if match[0] != "\u2800" * len(match[0]) or _in_name(source, *match.span()):
            yield BLANK_NAME.violation(lines.span(*match.span()), f"Blank letter {_names(match[0])}")
    severity = Level.HIGH if language is Language.JAVASCRIPT else None
    for match in _SEPARATOR.finditer(source):
        message = f"Line separator {_names(match[0])}"
        yield SEPARATOR.violation(lines.span(*match.span()), message, severity=severity)
        break


def _controls(source: str, lines: Lines) -> Iterator[Violation]:
    places = list(_control_places(source))
    for severity in (None, Level.MEDIUM):
        alike = [match for match in places if _is_loud(source, match) == (severity is None)]
        texts = dict.fromkeys(match[0] for match in alike)
        if len(texts) > _MOST_KINDS:
            spans = [_control_span(match, lines) for match in alike]
            message = f"Control characters in {len(spans)} places: {_names(''.join(texts))}, and others"
            yield CONTROL.violation(spans[0], message, severity=severity, related=tuple(spans[1:]))
            continue
        for match in alike:
            message = f"Control character {_names(match[0])}"
            yield CONTROL.violation(_control_span(match, lines), message, severity=severity)


def _is_loud(source: str, match: re.Match[str]) -> bool:
    """Return whether a control character may hide text: all may, but those that only colour it."""
    coloured = match[0] == "\x1b" and _COLOUR.match(source, match.start()) is not None
    return not coloured and _LOUD.search(match[0]) is not None


def _control_places(source: str) -> Iterator[re.Match[str]]:
    old_mac = "\n" not in source and source.count("\r") > 3
    for match in islice(_CONTROL.finditer(source), MAX_PLACES):
        if match[0] != "\r" or not (old_mac or source[match.end() :].isspace() or match.end() == len(source)):
            yield match


def _control_span(match: re.Match[str], lines: Lines) -> Span:
    return lines.span(match.start(), match.start() if match[0] == "\r" else match.end())


def _invisibles(source: str, lines: Lines, prose: Prose) -> Iterator[Violation]:
    found = (match for match in invisible().finditer(source) if not _is_expected(source, match, prose))
    for match in islice(found, MAX_PLACES):
        start, end = match.span()
        severity = None if not prose.covers(start) or _in_name(source, start, end) else Level.MEDIUM
        message = f"Invisible character {_names(match[0])}"
        yield INVISIBLE.violation(lines.span(start, end), message, severity=severity)


def _is_expected(source: str, match: re.Match[str], prose: Prose) -> bool:
    """Return whether a rule of its own reports it, or it has its place here: in emoji, or in the spelling."""
    start, end = match.span()
    text = _ELSEWHERE.sub("", match[0])
    if not text or (start == 0 and text == "\ufeff"):
        return True
    return prose.covers(start) and _is_script(source, start, end)


def _is_script(source: str, start: int, end: int) -> bool:
    """Joiners belong to emoji, and to the spelling of many languages; some selectors to emoji and keycaps."""
    before, after = source[max(start - 1, 0) : start], source[end : end + 1]
    characters = set(source[start:end])
    if characters <= set(_STYLE):
        return _is_symbol(before) or after == "\u20e3"
    if not characters <= _JOINERS | set(_STYLE):
        return False
    return any(_is_symbol(char) or _is_joined_script(char) for char in (before, after) if char)


def _is_symbol(char: str) -> bool:
    return bool(char) and not char.isascii() and unicodedata.category(char)[0] == "S"


def _is_joined_script(char: str) -> bool:
    """Return whether joiners are part of a letter's script: those from Hebrew to Khmer and Mongolian."""
    return "\u0590" <= char <= "\u1cff" or "\ua800" <= char <= "\uabff"


def _is_flag(source: str, start: int) -> bool:
    """Return whether tags make the flag of England, Scotland or Wales: no other text is hidden in a flag."""
    tags = source[start : start + 6].translate({code: code - 0xE0000 for code in range(0xE0061, 0xE0080)})
    return source[start - 1 : start] == "\U0001f3f4" and tags in {"gbeng\x7f", "gbsct\x7f", "gbwls\x7f"}


def _in_name(source: str, start: int, end: int) -> bool:
    before, after = source[start - 1 : start] if start else "", source[end : end + 1]
    return _is_letter(before) or _is_letter(after)


def _is_letter(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char in {"_", "$"})


def _names(text: str) -> str:
    codes = [f"U+{ord(char):04X}" for char in dict.fromkeys(text)][:4]
    return f"{', '.join(codes)} ({unicodedata.name(text[0], 'control').lower()})"
