"""Characters that terminals and editors draw as one, or over each other, in differing widths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from engine.analysis.positions import Lines
from engine.analysis.text.prose import Prose
from engine.analysis.text.rules import JOINED
from engine.common.unicode.repertoire import invisible, joining
from engine.models import Level, Span, Violation

MAX_PLACES = 50
MAX_WORD = 100
_DIGIT_BEFORE = re.compile(r"\d[^\w\s]{0,2} ?\Z")
_DIGIT_AFTER = re.compile(r" ?[^\w\s]{0,2}\d")
_EMOJI = re.compile("[\ufe0e\ufe0f\u200d\U000e0020-\U000e007f]+")
"""Invisible characters with which emoji are made; the others have a rule of their own."""
_SPELLING = re.compile("[\u0900-\u1cff\ua800-\uabff]")
"""Letters of scripts that are written with vowel signs: India, Southeast Asia, Tibet."""


def check(source: str, lines: Lines, prose: Prose) -> Iterator[Violation]:
    """Yield one violation for names that hold such characters, and one for those beside digits in text."""
    if source.isascii():
        return
    places = list(_places(source, prose))
    for severity, message in (
        (Level.HIGH, "A name with characters that are drawn over others"),
        (Level.MEDIUM, "Digits beside characters that are drawn as one: some may be covered"),
        (Level.LOW, "A name with vowel signs, displayed by their numbers"),
    ):
        spans = [lines.span(*place) for level, place in places if level is severity]
        if spans:
            yield _violation(severity, message, spans)


def _violation(severity: Level, message: str, spans: list[Span]) -> Violation:
    return JOINED.violation(spans[0], message, severity=severity, related=tuple(spans[1:MAX_PLACES]))


def _places(source: str, prose: Prose) -> Iterator[tuple[Level, tuple[int, int]]]:
    for match in islice(joining().finditer(source), MAX_PLACES * 100):
        if invisible().fullmatch(match[0]) and not _EMOJI.fullmatch(match[0]):
            continue
        start, end = max(match.start() - 1, 0), match.end()
        level = _level(source, start, end, prose.covers(match.start()))
        if level is not None:
            yield level, (start, end)


def _level(source: str, start: int, end: int, quoted: bool) -> Level | None:
    if not quoted and (source[start].isalnum() or source[start] in {"_", "$"}):
        return Level.LOW if _SPELLING.match(source, start) else Level.HIGH
    return Level.MEDIUM if _is_beside_digits(source, start, end) else None


def _is_beside_digits(source: str, start: int, end: int) -> bool:
    """Return whether digits are as near as the cells that may be missing: a blank takes the first of them."""
    if source[end - 1] == "\u200d":
        end += 1
    word = source[source.rfind(" ", 0, start) + 1 : end][-MAX_WORD:]
    missing = sum(2 if char > "\uffff" else 1 for run in joining().findall(word) for char in run)
    after, before = source[end : end + 4], source[max(start - 4, 0) : start]
    is_after = _DIGIT_AFTER.match(after) and (missing > 1 or after[0] != " ")
    is_before = _DIGIT_BEFORE.search(before) and (missing > 1 or before[-1] != " ")
    return bool(is_after or is_before)
