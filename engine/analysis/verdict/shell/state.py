"""The text that is read, the place in it, and what is known and refused so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from engine.analysis.positions import Lines
from engine.analysis.verdict.shell.names import READABLE, is_locale, is_unset_in_sandbox, may_assign
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
    known: tuple[frozenset[str], frozenset[str]]
    """What is owned, and what is an associative array, where its command runs."""


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
        self.maps: frozenset[str] = frozenset()
        """Variables that are declared as associative arrays."""
        self.owned: frozenset[str] = frozenset()
        """Variables that have certainly been assigned before this place."""
        self.arrays: set[str] = set()
        """Variables that are indexed arrays."""
        self.others: set[str] = set()
        """Variables that are declared, but not as associative arrays."""
        self.all_maps: dict[str, tuple[int, int]] = {}
        """Variables that are declared as associative arrays anywhere, and where."""
        self.scalars: list[tuple[str, int, int]] = []
        """Variables that are declared with a value that may look like that of an array."""
        self.unset: list[tuple[str, int, int]] = []
        """Names that are unset."""
        self.frozen: dict[str, int] = {}
        """Variables that become read-only anywhere, and where first."""
        self.changes: list[tuple[str, int, int, bool]] = []
        """Assignments that end the line if the variable is read-only, and whether they may run twice."""
        self.doubt: tuple[frozenset[str], frozenset[str]] | None = None
        """What was owned, and an associative array, before all that may end this line of the script early."""
        self.substituted = False
        """Whether the commands of a substitution are read."""
        self.inner = 0
        """How many expansions, indexes and sums are around this place in the commands that are read."""
        self.heredoc = False
        """Whether the text of a here-document is read."""
        self.nested = 0
        """How many constructs around this place may skip it."""
        self._depth = 0

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
        """Read what may be skipped, or run in a process of its own."""
        if self._depth >= MOST_DEPTH:
            self.stop("the code is nested too deeply")
        owned = self.owned
        self.nested += 1
        self._depth += 1
        yield
        self.owned = owned
        self.nested -= 1
        self._depth -= 1

    def may_fail(self) -> None:
        """Note that bash may give up the line here: the rest is skipped, and the next one runs."""
        owned, maps = self.doubt or (self.owned, self.maps)
        self.doubt = (owned & self.owned, maps & self.maps)

    def end_line(self) -> None:
        """Forget what the line would have assigned or declared after a place where it may have ended."""
        if self.doubt is not None:
            self.owned &= self.doubt[0]
            self.maps &= self.doubt[1]
        self.doubt = None

    @contextmanager
    def expansion(self) -> Iterator[None]:
        """Read a `${…}`, an index or a sum, whose end bash looks for more than once."""
        self.inner += 1
        yield
        self.inner -= 1

    @contextmanager
    def substitution(self) -> Iterator[bool]:
        """Read the commands of a substitution; tells whether it stands in an expansion or a here-document."""
        outer, inner = self.substituted, self.inner
        self.substituted, self.inner = True, 0
        yield bool(inner) or self.heredoc
        self.substituted, self.inner = outer, inner

    @contextmanager
    def other_line(self) -> Iterator[None]:
        """Read what runs at another time, or in a process of its own."""
        doubt, self.doubt = self.doubt, None
        yield
        self.doubt = doubt

    # --- variables ----------------------------------------------------------------------------------------

    def read_variable(self, name: str, start: int) -> Value:
        """Return what a variable may hold."""
        if name in READABLE and name not in {"REPLY", "IFS", "_"}:
            return READABLE[name]
        if name not in READABLE and name not in self.owned and not is_unset_in_sandbox(name):
            self.refuse(start, self.at, f"`{name}` may come from the environment")
        return READABLE.get(name, frozenset({f"${name}"}))

    def read_argument(self, number: str) -> Value:
        """Return what an argument of the function may be; `*` stands for all of them."""
        if not self.function or number == "0":
            return frozenset({Kind.TEXT})
        numbers = (number,) if number != "*" else tuple(map(str, range(1, POSITIONS)))
        return frozenset(f"{self.function}:{one}" for one in (*numbers, "*"))

    def assign(
        self, name: str, value: Value, start: int, text: str | None = None, *, whole: bool = True
    ) -> None:
        """Record an assignment; one that is not `whole` leaves a part of what the variable was before."""
        if whole and is_locale(name, text):
            return
        if not may_assign(name):
            self.refuse(start, self.at, f"`{name}` has a meaning outside this code")
        self.values.bind(f"${name}", value)
        self.owned |= {name} if whole else frozenset()
