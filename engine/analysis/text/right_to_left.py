"""Letters that run from right to left: editors reorder the digits and signs beside them (UAX #9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from engine.analysis.positions import Lines
from engine.analysis.text.prose import Prose
from engine.analysis.text.rules import RIGHT_TO_LEFT
from engine.common.unicode.repertoire import right_to_left
from engine.models import Language, Level, Violation

MAX_PLACES = 50
_NEUTRAL = re.compile(r"[^\w\n]+")
_NUMBER = re.compile(r"\d")


def check(source: str, lines: Lines, language: Language, prose: Prose) -> Iterator[Violation]:
    """Yield one violation for names of such letters, and one for text that reorders what is beside it."""
    if source.isascii():
        return
    found: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for match in islice(right_to_left().finditer(source), MAX_PLACES * 100):
        is_name = language is not Language.SHELL and not prose.covers(match.start())
        if is_name or _reorders(source, match.end(), prose):
            found[is_name].append(match.span())
    for is_name, places in found.items():
        if places:
            spans = tuple(lines.span(*place) for place in places[:MAX_PLACES])
            message = "A name that" if is_name else "Text that"
            level = Level.HIGH if is_name else Level.MEDIUM
            message += " changes the order of what stands beside it"
            yield RIGHT_TO_LEFT.violation(spans[0], message, severity=level, related=spans[1:])


def _reorders(source: str, end: int, prose: Prose) -> bool:
    """Return whether code, or a number, stands between this text and the next letter from left to right."""
    between = _NEUTRAL.match(source, end)
    after = between.end() if between else end
    number = _NUMBER.match(source, after) is not None
    if number and after - end <= 2:
        return True
    has_code = any(not prose.covers(place) for place in range(end, after))
    return has_code and (number or right_to_left().match(source, after) is not None)
