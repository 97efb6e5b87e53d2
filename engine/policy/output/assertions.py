"""Assertions about a value: `value == 42.5 within 1e-9`, `len(value.rows) >= 3`, `value["a"] < 9`. Pure."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.models import AssertionOutcome

_FORM = re.compile(
    r"(?P<len>len\()?value(?P<path>(?:\.\w{1,64}|\[\d{1,9}\]|\[\"[^\"\\]{1,64}\"\])*)(?(len)\))"
    r"\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<literal>.+?)(?:\s+within\s+(?P<within>[\d.eE+-]{1,30})(?P<percent>%)?)?"
)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\"([^\"]+)\"\]")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
HINT = "Write: value == 42.5 within 1e-9"


@dataclass(frozen=True, slots=True)
class Assertion:
    """One comparison of a value, or of a part of it, with a literal."""

    path: tuple[str | int, ...]
    length: bool
    sign: str
    literal: Any
    within: float | None = None
    """How far two numbers may be apart to be equal."""

    def judge(self, value: str) -> tuple[AssertionOutcome, str]:
        """Return whether it holds of a value, which is JSON, and why where that cannot be said."""
        try:
            found = self._found(json.loads(value))
            return (AssertionOutcome.VERIFIED if self._holds(found) else AssertionOutcome.REFUTED), ""
        except LookupError:
            return AssertionOutcome.UNDECIDED, "the value has no such part"
        except TypeError:
            return AssertionOutcome.UNDECIDED, "the value cannot be compared with that"

    def _found(self, value: Any) -> Any:
        for step in self.path:
            if not isinstance(value, dict if isinstance(step, str) else list):
                raise KeyError(step)
            part: Any = step
            value = value[part]
        return len(value) if self.length else value

    def _holds(self, found: Any) -> bool:
        if isinstance(found, bool) != isinstance(self.literal, bool):
            raise TypeError
        if self.within is not None:
            return (abs(found - self.literal) <= self.within) is (self.sign == "==")
        if (
            self.sign in {"==", "!="}
            and type(found) is not type(self.literal)
            and not _numbers(found, self.literal)
        ):
            raise TypeError
        return _SIGNS[self.sign](found, self.literal)


def parse_assertion(text: str) -> Assertion | str:
    """Return the assertion that a text is, or what is wrong with it."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        return f"the assertion cannot be read. {HINT}"
    try:
        literal = json.loads(found["literal"].replace("'", '"'))
        within = _within(found, literal)
    except (ValueError, TypeError):
        return f"the assertion compares with nothing that JSON knows. {HINT}"
    if within is not None and found["sign"] not in {"==", "!="}:
        return f"`within` goes with == and != only. {HINT}"
    return Assertion(_path(found["path"]), bool(found["len"]), found["sign"], literal, within)


def _path(text: str) -> tuple[str | int, ...]:
    return tuple(int(match[2]) if match[2] else match[1] or match[3] for match in _STEP.finditer(text))


def _within(found: re.Match[str], literal: Any) -> float | None:
    if found["within"] is None:
        return None
    if isinstance(literal, bool) or not isinstance(literal, int | float):
        raise TypeError
    part = float(found["within"])
    return abs(literal) * part / 100 if found["percent"] else part


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)
