"""Assignments: of texts, arrays and elements, before commands and by `local` and its like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.analysis.verdict.shell.expansions import Expansions
from engine.analysis.verdict.shell.names import READABLE, is_locale, may_export
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.sums import Sums
from engine.analysis.verdict.shell.values import Value
from engine.analysis.verdict.shell.words import Word, Words

_ASSIGNED = re.compile(r"(?a)([A-Za-z_]\w*)(\+?=|\[)")
_COMMENT = re.compile(r"#[^\n]*")
_AFTER_ARRAY = frozenset({"", " ", "\t", "\n", ";", "&", "|", ")"})
DECLARES = frozenset({"local", "declare", "typeset", "readonly", "export"})
"""Builtins whose arguments are assignments."""


class Assigned(NamedTuple):
    """An assignment before a command."""

    name: str
    start: int
    end: int
    text: str | None
    array: bool


class Assignments:
    """Reads assignments."""

    def __init__(self, words: Words, sums: Sums, expansions: Expansions) -> None:
        self._words = words
        self._sums = sums
        self._expansions = expansions

    def prefix(self, state: State) -> list[Assigned]:
        """Read the assignments that a command begins with."""
        found: list[Assigned] = []
        while match := state.match(_ASSIGNED):
            again = bool(state.function or state.nested)
            array = match[2] == "[" or state.looking("(")
            text = self._assignment(state, match)
            state.changes.append((match[1], match.start(), state.at, again))
            found.append(Assigned(match[1], match.start(), state.at, text, array))
            state.blanks()
        return found

    def declares(self, state: State, words: list[Word]) -> bool:
        """Read an assignment that is an argument of `local` or the like, if one comes next."""
        if words[0].text not in DECLARES or words[0].quoted:
            return False
        match = state.match(_ASSIGNED)
        if match is None:
            return False
        if match[2] == "[":
            state.stop("an element cannot be declared in the provable subset")
        options = "".join(word.text or "" for word in words[1:] if word.prefix[:1] == "-")
        self._declare(state, match, words[0].text, options)
        words.append(Word(match.start(), text=match[1], prefix=match[1]).close(state.at))
        return True

    def _declare(self, state: State, match: re.Match[str], command: str, options: str) -> None:
        name, start, array = match[1], match.start(), state.looking("(")
        if "A" in options:
            declare_map(state, name, start)
        else:
            state.others.add(name)
        text = self._assignment(state, match)
        if command == "export" or "x" in options:
            self._exported(state, name, start, text)
        if array:
            state.changes.append((name, start, state.at, bool(state.function or state.nested)))
            return
        if "a" in options or "A" in options:
            state.refuse(start, state.at, "a text that is declared as an array is evaluated")
        state.scalars.append((name, start, state.at))

    def check_prefix(self, state: State, assigned: Sequence[Assigned], command: Word) -> None:
        """Refuse assignments that change what a command does."""
        for one in assigned:
            state.others.add(one.name)
            if one.array:
                state.refuse(one.start, one.end, "an array before a command is a text")
            if one.name != "IFS" or command.text not in {"read", "mapfile", "readarray"}:
                self._exported(state, one.name, one.start, one.text)

    def _exported(self, state: State, name: str, start: int, text: str | None) -> None:
        """Refuse a variable for other programs that may mean something to them."""
        if not is_locale(name, text) and not may_export(name):
            state.refuse(start, state.at, f"`{name}` may mean something to other programs")

    # --- values -------------------------------------------------------------------------------------------

    def _assignment(self, state: State, match: re.Match[str]) -> str | None:
        """Read what is assigned, and return it where it is spelled out."""
        name, whole = match[1], match[2] == "="
        if match[2] == "[":
            state.may_fail()
            self._index(state, name)
            if not (state.take("=") or state.take("+=")):
                state.stop("an index that is not in the provable subset")
        elif state.take("("):
            self._array(state, name, match.start(), whole=whole)
            return None
        word = self._words.read(state, splits=False)
        state.assign(name, word.value, match.start(), word.text, whole=whole)
        return word.text

    def _index(self, state: State, name: str) -> None:
        if name in state.maps:
            self._expansions.key(state)
        else:
            state.arrays.add(name)
            self._sums.read(state, "]")

    def _array(self, state: State, name: str, start: int, *, whole: bool) -> None:
        if name not in state.maps:
            state.arrays.add(name)
        value: Value = frozenset()
        while True:
            self._space(state)
            if state.take(")"):
                if state.char() not in _AFTER_ARRAY:  # bash takes `a=(1)b` for a text
                    state.stop("an array that does not end where its parentheses do")
                break
            value |= self._element(state, name)
        state.assign(name, value, start, whole=whole)

    def _element(self, state: State, name: str) -> Value:
        if state.take("["):
            state.may_fail()
            self._index(state, name)
            state.expect("=")
            return self._words.read(state, splits=False).value
        start = state.at
        word = self._words.read(state)
        if state.at == start:
            state.stop("an array that is not in the provable subset")
        return word.value

    def _space(self, state: State) -> None:
        while True:
            state.blanks()
            if not (state.take("\n") or state.match(_COMMENT)):
                return


def declare_map(state: State, name: str, start: int) -> None:
    """Record that a variable is an associative array from here on."""
    if state.nested:
        state.refuse(start, state.at, "an associative array that is not always declared")
    if name in READABLE:
        state.refuse(start, state.at, f"`{name}` has a meaning outside this code")
    state.maps |= {name}
    state.all_maps.setdefault(name, (start, state.at))
