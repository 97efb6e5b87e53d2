"""The filter language: `risk:critical reviewer:alice -kill:memory since:7d duration:>10s text:"a.b"`.

Terms are joined by *and*; a comma inside a value means *or*; `-` in front means *not*; a term without a field
is searched for in code and output.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.history.errors import HistoryError
from engine.models import DecisionOutcome, KillReason, Language, Level, Status

LONGEST = 1000
"""A longer filter is refused, with where it is too long."""


class FilterError(HistoryError):
    """A filter cannot be understood; `position` is the character (from 0) at which."""

    def __init__(self, text: str, position: int, problem: str, *, hint: str = "") -> None:
        super().__init__(f"{problem}, at character {position + 1} of the filter", hint=hint)
        self.text = text
        self.problem = problem
        self.position = position


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: any of `values`, each compared by `operator`."""

    key: str
    operator: str
    values: tuple[str | float, ...]
    negated: bool = False


CHOICES: dict[str, tuple[str, ...]] = {
    "risk": tuple(Level),
    "status": tuple(Status),
    "decision": tuple(DecisionOutcome),
    "kill": tuple(KillReason),
    "lang": (*Language, "py", "js", "sh"),
}
"""Keys with fixed values."""
NAMES = ("requester", "reviewer", "id", "digest")
"""Keys with any value; `*` at its end matches the rest."""
NUMBERS: dict[str, dict[str, float]] = {
    "duration": {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600},
    "memory": {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30},
    "lines": {"": 1},
    "violations": {"": 1},
    "exit": {"": 1},
}
"""Keys with numbers, and the units that each knows."""
TIMES = ("since", "until")
"""Keys with a moment: `7d`, `12h`, `30m`, `2026-11-21`, `2026-11-21T06:00`."""
KEYS = (*CHOICES, *NAMES, *NUMBERS, *TIMES, "text")
ALIASES = {"language": "lang", "py": "python", "js": "javascript", "sh": "shell"}

_WORD = re.compile(
    r'\s*(?P<not>-)?(?:(?P<key>[A-Za-z_]+):)?(?P<value>(?:"(?:[^"\\]|\\.)*"|[^\s"])*)', re.DOTALL
)
_NUMBER = re.compile(r"(?P<operator>>=|<=|>|<|=)?(?P<number>-?\d+(?:\.\d+)?)(?P<unit>[a-z]*)", re.IGNORECASE)
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters that are no white space, and halves of characters: nothing that SQLite looks for."""
_AGO = re.compile(r"(\d{1,6})([mhdw])")
_STEPS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse(text: str, now: datetime) -> tuple[Term, ...]:
    """Return the conditions of a filter; moments such as `7d` are counted back from `now`.

    Raises:
        FilterError: it cannot be understood; the error says where.
    """
    if len(text) > LONGEST:
        raise FilterError(text, LONGEST, f"The filter is longer than {LONGEST} characters")
    if unfit := _UNFIT.search(text):
        problem = f"The filter has a control character, U+{ord(unfit[0]):04X}"
        raise FilterError(text, unfit.start(), problem, hint="Delete it")
    terms, position, end = [], 0, len(text.rstrip())
    while position < end and (match := _WORD.match(text, position)):
        position = match.end()
        if text[position : position + 1] == '"':
            raise FilterError(text, position, "Unclosed quotation mark", hint='Write text:"like this"')
        terms.append(_term(text, match, now))
    return tuple(terms)


def _term(text: str, match: re.Match[str], now: datetime) -> Term:
    key = (match["key"] or "text").lower()
    key = ALIASES.get(key, key)
    negated, at = bool(match["not"]), match.start("value")
    value = _unquoted(match["value"])
    if key not in KEYS:
        raise FilterError(text, match.start("key"), f"Unknown field {key!r}", hint=_meant(key, KEYS))
    if not value:
        raise FilterError(text, at, f"The field {key} has no value")
    if key == "text":
        return _text(text, at, value, negated)
    if key in TIMES:
        return Term(key, "", (_moment(text, at, value, now),), negated)
    if key in NUMBERS:
        return _number(text, at, key, value, negated)
    return Term(key, "=", tuple(_choice(text, at, key, part) for part in value.split(",")), negated)


def _choice(text: str, at: int, key: str, value: str) -> str:
    if key not in CHOICES:
        return value
    value = ALIASES.get(value.lower(), value.lower())
    if value not in CHOICES[key]:
        where = text.lower().find(value, at)
        raise FilterError(
            text,
            max(where, at),
            f"Unknown value {value!r} of the field {key}",
            hint=_meant(value, CHOICES[key]),
        )
    return value


def _text(text: str, at: int, value: str, negated: bool) -> Term:
    if not any(character.isalnum() for character in value):
        raise FilterError(text, at, "The text has no letter and no digit")
    return Term("text", "*" if value.endswith("*") else "=", (value.rstrip("*"),), negated)


def _number(text: str, at: int, key: str, value: str, negated: bool) -> Term:
    match = _NUMBER.fullmatch(value)
    if match is None:
        raise FilterError(text, at, f"{value!r} is not a number", hint=f"Write {key}:>10 or {key}:<=2.5")
    units = NUMBERS[key]
    if match["unit"].lower() not in units:
        hint = f"Units: {', '.join(filter(None, units)) or 'none'}"
        raise FilterError(
            text, at + match.start("unit"), f"Unknown unit {match['unit']!r} of the field {key}", hint=hint
        )
    return Term(
        key, match["operator"] or "=", (float(match["number"]) * units[match["unit"].lower()],), negated
    )


def _moment(text: str, at: int, value: str, now: datetime) -> str:
    ago = _AGO.fullmatch(value)
    try:
        moment = now - timedelta(**{_STEPS[ago[2]]: int(ago[1])}) if ago else datetime.fromisoformat(value)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        hint = "Write 7d, 12h, 30m or 2026-11-21"
        raise FilterError(text, at, f"{value!r} is not a time", hint=hint) from None
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _unquoted(value: str) -> str:
    return re.sub(r'"((?:[^"\\]|\\.)*)"', lambda quoted: re.sub(r"\\(.)", r"\1", quoted[1]), value)


def _meant(word: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, known, 1)
    return f"Did you mean {near[0]}?" if near else f"One of: {', '.join(known)}"


def complete(text: str) -> tuple[str, ...]:
    """Return what the last word of a filter may become: keys, and after a key with fixed values those."""
    last = "" if not text or text[-1].isspace() else text.rsplit(maxsplit=1)[-1]
    start, word = text[: len(text) - len(last)], last.lstrip("-")
    sign = last[: len(last) - len(word)]
    key, colon, value = word.partition(":")
    if not colon:
        return tuple(f"{start}{sign}{known}:" for known in KEYS if known.startswith(key))
    done, comma, rest = value.rpartition(",")
    choices = CHOICES.get(ALIASES.get(key, key), ())
    return tuple(f"{start}{sign}{key}:{done}{comma}{known}" for known in choices if known.startswith(rest))
