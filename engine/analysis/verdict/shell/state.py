"""The text that is read, the place in it, and what is known and refused so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from engine.analysis.positions import Lines
from engine.analysis.verdict.shell.names import READABLE, is_unset_in_sandbox, may_assign
from engine.analysis.verdict.shell.values import Kind, Value, Values
from engine.common.text import Untrusted
from engine.models import Unproven

MOST_DEPTH = 60
"""How deep constructs may be nested."""
MOST_PLACES = 50
"""How many places that are not proven are reported."""
POSITIONS = 10
"""From which number on the arguments of a function are not told apart."""
_BLANKS = re.compile(r"[ \t]+")


class RefusedError(Exception):
    """The text from here on cannot be read: it is not in the subset."""


class Call(NamedTuple):
    """A call of a function: where, and within which function."""

    name: str
    start: int
    end: int
    within: str


class Here(NamedTuple):
    """A here-document that begins with the next line."""

    mark: str
    quoted: bool
    tabs: bool


class State:
    """One script while it is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values = Values()
        self.problems: dict[tuple[int, int, str], None] = {}
        self.function = ""
        """The function whose body is read."""
        self.defined: dict[str, int] = {}
        """Functions, and where their definitions end."""
        self.calls: list[Call] = []
        self.heres: list[Here] = []
        self.owned: frozenset[str] = frozenset()
        """Variables that have certainly been assigned before this place."""
        self.arrays: set[str] = set()
        """Variables that are arrays."""
        self.scalars: list[tuple[str, int, int]] = []
        """Variables that are declared with a value that may look like that of an array."""
        self.doubtful = False
        """Whether something before this place may have ended this line of the script early."""
        self.substituted = False
        """Whether the commands of a substitution are read."""
        self.inner = 0
        """How many expansions, indexes and sums are around this place in the commands that are read."""
        self.nested = 0
        """How many constructs are around this place."""

    # --- reading ------------------------------------------------------------------------------------------

    def looking(self, text: str) -> bool:
        """Return whether a text comes next."""
        return self.text.startswith(text, self.at)

    def char(self) -> str:
        """Return the next character, nothing at the end."""
        return self.text[self.at : self.at + 1]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return and pass over what matches here."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def take(self, text: str) -> bool:
        """Pass over a text if it comes next."""
        found = self.looking(text)
        self.at += len(text) if found else 0
        return found

    def expect(self, text: str) -> None:
        """Pass over a text that must come next."""
        if not self.take(text):
            self.stop(f"`{text}` is expected here")

    def blanks(self) -> None:
        """Pass over blanks and continued lines."""
        while self.match(_BLANKS) or self._continued():
            pass

    def _continued(self) -> bool:
        if not self.looking("\\\n"):
            return False
        if self.text[self.at - 1 : self.at] not in {" ", "\t"} or not self.at:
            self.stop("a line is continued within a word")
        self.at += 2
        self.match(_BLANKS)
        if self.char() in {"#", "\\"}:
            self.stop("what follows a continued line is read in different ways")
        return True

    # --- refusing -----------------------------------------------------------------------------------------

    def stop(self, reason: str) -> NoReturn:
        """Refuse everything from here on."""
        self.refuse(self.at, self.at + 1, reason)
        raise RefusedError

    def refuse(self, start: int, end: int, reason: str) -> None:
        """Record that a place is not proven."""
        self.problems[start, end, reason] = None

    def unproven(self) -> tuple[Unproven, ...]:
        """Return what was refused, in the order of the code."""
        lines = Lines(self.text)
        found = sorted(self.problems)[:MOST_PLACES]
        return tuple(
            Unproven(span=lines.span(start, min(end, len(self.text))), reason=Untrusted(reason))
            for start, end, reason in found
        )

    # --- scopes -------------------------------------------------------------------------------------------

    @contextmanager
    def nesting(self) -> Iterator[None]:
        """Read what may be skipped, run in a process of its own, or not run at the top of the script."""
        if self.nested >= MOST_DEPTH:
            self.stop("the code is nested too deeply")
        self.nested += 1
        yield
        self.nested -= 1

    def may_fail(self) -> None:
        """Note that bash may give up the line here: the rest is skipped, and the next one runs."""
        self.doubtful = True

    def end_line(self) -> None:
        """Note that the next line runs, however this one ended."""
        self.doubtful = False

    @contextmanager
    def expansion(self) -> Iterator[None]:
        """Read a `${…}`, an index or a sum, whose end bash looks for more than once."""
        self.inner += 1
        yield
        self.inner -= 1

    @contextmanager
    def other_line(self, *, substituted: bool = False) -> Iterator[None]:
        """Read what runs at another time, or in a process of its own; perhaps in a substitution."""
        before = (self.doubtful, self.substituted)
        self.substituted |= substituted
        yield
        self.doubtful, self.substituted = before

    # --- variables ----------------------------------------------------------------------------------------

    def read_variable(self, name: str, start: int) -> Value:
        """Return what a variable may hold."""
        if name in READABLE:
            return READABLE[name]
        if name not in self.owned and not is_unset_in_sandbox(name):
            self.refuse(start, self.at, f"`{name}` may come from the environment")
        return frozenset({f"${name}"})

    def read_argument(self, number: str) -> Value:
        """Return what an argument of the function may be; `*` stands for all of them."""
        if not self.function or number == "0":
            return frozenset({Kind.TEXT})
        numbers = (number,) if number != "*" else tuple(map(str, range(1, POSITIONS)))
        return frozenset(f"{self.function}:{one}" for one in (*numbers, "*"))

    def assign(self, name: str, value: Value, start: int) -> None:
        """Record that a variable may be assigned."""
        if not may_assign(name):
            self.refuse(start, self.at, f"`{name}` has a meaning outside this code")
        self.values.bind(f"${name}", value)

    def own(self, name: str) -> None:
        """Record that all of a variable has been assigned here, if this place certainly runs."""
        if not (self.nested or self.function or self.doubtful):
            self.owned |= {name}
