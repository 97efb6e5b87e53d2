"""Assignments: of texts and arrays, by themselves, before commands and by `local`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.analysis.verdict.shell.names import is_locale
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.values import Value
from engine.analysis.verdict.shell.words import Word, Words

_ASSIGNED = re.compile(r"(?a)([A-Za-z_]\w*)(\+?=|\[)")
_COMMENT = re.compile(r"#[^\n]*")
_AFTER_ARRAY = frozenset({"", " ", "\t", "\n", ";", "&", "|", ")"})


class Assigned(NamedTuple):
    """An assignment."""

    name: str
    start: int
    end: int
    value: Value
    text: str | None
    """What is assigned, where it is a text that is spelled out."""
    array: bool
    whole: bool
    """Whether nothing is left of what the variable was before."""

    @property
    def chooses_locale(self) -> bool:
        """Whether it chooses a locale of the system by its usual name."""
        return self.whole and is_locale(self.name, self.text)


class Assignments:
    """Reads assignments."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def prefix(self, state: State) -> list[Assigned]:
        """Read the assignments that a command begins with, or consists of."""
        found: list[Assigned] = []
        while one := self._read(state):
            found.append(one)
            state.blanks()
        return found

    def record(self, state: State, assigned: Sequence[Assigned]) -> None:
        """Record assignments that no command follows."""
        for one in assigned:
            if not one.chooses_locale:
                state.assign(one.name, one.value, one.start)
            if one.whole:
                state.own(one.name)

    def check_prefix(self, state: State, assigned: Sequence[Assigned], command: Word) -> None:
        """Refuse assignments before a command but of `IFS` for `read`, and of locales."""
        for one in assigned:
            splits = one.name == "IFS" and command.text == "read" and not one.array and one.whole
            if not (splits or one.chooses_locale):
                state.refuse(one.start, one.end, "an assignment before a command that is not on the list")

    def declares(self, state: State, words: list[Word]) -> bool:
        """Read an assignment that is an argument of `local`, if one comes next."""
        if words[0].text != "local" or words[0].quoted:
            return False
        one = self._read(state)
        if one is None:
            return False
        if not one.chooses_locale:
            state.assign(one.name, one.value, one.start)
        if not one.array:
            state.scalars.append((one.name, one.start, one.end))
        words.append(Word(one.start, text=one.name, prefix=one.name).close(one.end))
        return True

    # --- values -------------------------------------------------------------------------------------------

    def _read(self, state: State) -> Assigned | None:
        match = state.match(_ASSIGNED)
        if match is None:
            return None
        name, start, whole = match[1], match.start(), match[2] == "="
        if match[2] == "[":
            state.stop("an element that is assigned is not in the provable subset")
        if state.take("("):
            if state.substituted:
                state.stop("bash reads an array within a substitution in different ways")
            state.arrays.add(name)
            return Assigned(name, start, state.at, self._array(state), None, array=True, whole=whole)
        word = self._words.read(state, splits=False)
        return Assigned(name, start, state.at, word.value, word.text, array=False, whole=whole)

    def _array(self, state: State) -> Value:
        value: Value = frozenset()
        self._space(state)
        while not state.take(")"):
            value |= self._words.read_some(state).value
            self._space(state)
        if state.char() not in _AFTER_ARRAY:  # bash takes `a=(1)b` for a text
            state.stop("an array that does not end where its parentheses do")
        return value

    def _space(self, state: State) -> None:
        while True:
            state.blanks()
            if not (state.take("\n") or state.match(_COMMENT)):
                return
