"""The values of a term, read as its field wants them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from engine.history.search.query import times
from engine.history.search.query.errors import QueryError, suggestion
from engine.history.search.query.fields import FIELDS, HOSTS, VALUE_ALIASES, FieldKind
from engine.history.search.query.lexer import Letter
from engine.history.search.query.tree import Exact, Range, Value, Wild

MOST_VALUES = 50
"""So many values at most are joined by commas."""
MOST_STARS = 8
"""So many `*` at most are in one value."""
LARGEST = 1e15
_NUMBER = re.compile(r"(-?\d{1,25}(?:\.\d{1,9})?)([a-z]*)", re.IGNORECASE | re.ASCII)
_COMPARED = re.compile(r"(>=|<=|>|<|=)(.*)", re.DOTALL)
_BETWEEN = re.compile(r"(.*?)\.\.(<?)(.*)", re.DOTALL)
Bounds = Callable[[str, int], tuple[float | str, float | str]]
"""Reads one bound: where it begins, and where it is over (the same for a number)."""


class ValueReader:
    """Reads the values of the terms of one query."""

    def __init__(self, text: str, now: datetime) -> None:
        self._text = text
        self._now = now

    def values(self, name: str, letters: Sequence[Letter], position: int) -> tuple[Value, ...]:
        """Return the values of a term of this field.

        Raises:
            QueryError: there is none, or it is not what the field wants.
        """
        if not letters:
            raise self._error(position, f"The field {name} has no value")
        if FIELDS[name].kind is FieldKind.TEXT:
            return (self._words(name, letters, position),)
        parts = list(_parts(letters))
        if len(parts) > MOST_VALUES:
            raise self._error(position, f"More than {MOST_VALUES} values")
        if not all(parts):
            raise self._error(position, f"The field {name} has an empty value", "Delete a comma")
        return tuple(self._value(name, part, part[0].position) for part in parts)

    def _value(self, name: str, letters: Sequence[Letter], position: int) -> Value:
        field, plain = FIELDS[name], _plain(letters)
        if field.kind is FieldKind.CHOICE:
            return self._choice(name, plain, position)
        if field.kind is FieldKind.NUMBER:
            return self._range(plain, position, self._number(name))
        if field.kind is FieldKind.TIME:
            return self._range(plain, position, self._moment)
        if field.kind is FieldKind.LIKE:
            return Exact(plain)
        return self._name(letters, position, lower=any(fact in HOSTS for fact in field.facts))

    def _choice(self, name: str, plain: str, position: int) -> Value:
        word = VALUE_ALIASES.get(plain.lower(), plain.lower())
        choices = FIELDS[name].choices
        if word == "*" and FIELDS[name].facts:
            return Wild(("", ""))
        if word not in choices:
            problem = f"Unknown value {word!r} of the field {name}"
            raise self._error(position, problem, suggestion(word, choices))
        return Exact(word)

    def _name(self, letters: Sequence[Letter], position: int, *, lower: bool) -> Value:
        parts = [""]
        for letter in letters:
            if letter.character == "*" and not letter.literal:
                parts.append("")
            else:
                parts[-1] += letter.character.lower() if lower else letter.character
        if len(parts) > MOST_STARS + 1:
            raise self._error(position, f"More than {MOST_STARS} of * in one value")
        return Wild(tuple(parts)) if len(parts) > 1 else Exact(parts[0])

    def _words(self, name: str, letters: Sequence[Letter], position: int) -> Value:
        plain = _plain(letters)
        if not any(character.isalnum() for character in plain):
            raise self._error(position, "The text has no letter and no digit", f"Write {name}:word")
        starts = letters[-1].character == "*" and not letters[-1].literal
        return Wild((plain.rstrip("*"), "")) if starts else Exact(plain)

    def _range(self, plain: str, position: int, bounds: Bounds) -> Range:
        if compared := _COMPARED.fullmatch(plain):
            start, end = bounds(compared[2], position + compared.start(2))
            return _compared(compared[1], start, end)
        between = _BETWEEN.fullmatch(plain)
        if between is None:
            return _inside(*bounds(plain, position))
        low = bounds(between[1], position) if between[1] else (None, None)
        if not between[3]:
            if low[0] is None or between[2]:
                raise self._error(position, f"{plain!r} is no range", "Write 10..20, 10.. or ..20")
            return Range(low=low[0])
        start, end = bounds(between[3], position + between.start(3))
        excluded = bool(between[2]) or start != end
        return Range(low[0], start if between[2] else end, high_open=excluded)

    def _number(self, name: str) -> Bounds:
        def read(word: str, position: int) -> tuple[float, float]:
            found, units = _NUMBER.fullmatch(word), FIELDS[name].units
            if found is None:
                hint = f"Write {name}:>10, {name}:<=2.5 or {name}:1..5"
                raise self._error(position, f"{word!r} is not a number", hint)
            if found[2].lower() not in units:
                hint = f"Units: {', '.join(filter(None, units)) or 'none'}"
                problem = f"Unknown unit {found[2]!r} of the field {name}"
                raise self._error(position + found.start(2), problem, hint)
            number = round(float(found[1]) * units[found[2].lower()], 9)
            if abs(number) > LARGEST:
                raise self._error(position, f"{word!r} is too large a number")
            return number, number

        return read

    def _moment(self, word: str, position: int) -> tuple[str, str]:
        try:
            return times.span(word, self._now)
        except ValueError:
            hint = "Write 7d, 12h, 30m, yesterday, monday, 2026-11 or 2026-11-21T06:00"
            raise self._error(position, f"{word!r} is not a time", hint) from None

    def _error(self, position: int, problem: str, hint: str = "") -> QueryError:
        return QueryError(self._text, position, problem, hint=hint)


def _compared(sign: str, start: float | str, end: float | str) -> Range:
    """Compare with a stretch of time, or with a number, which begins where it is over."""
    if sign == ">=":
        return Range(low=start)
    if sign == "<":
        return Range(high=start, high_open=True)
    if sign == ">":
        return Range(low=start, low_open=True) if start == end else Range(low=end)
    if sign == "<=":
        return Range(high=end, high_open=start != end)
    return _inside(start, end)


def _inside(start: float | str, end: float | str) -> Range:
    return Range(start, end, high_open=start != end)


def _plain(letters: Sequence[Letter]) -> str:
    return "".join(letter.character for letter in letters)


def _parts(letters: Sequence[Letter]) -> Iterator[Sequence[Letter]]:
    """Cut at the commas that are not quoted."""
    start = 0
    for index, letter in enumerate(letters):
        if letter.character == "," and not letter.literal:
            yield letters[start:index]
            start = index + 1
    yield letters[start:]
