"""What a value may be: the kinds of text that a variable or a word can hold, and where they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum


class Kind(IntEnum):
    """A set of texts; each contains the one before, and all substrings and concatenations of its own."""

    NUMBER = 0
    """Digits and minus signs, or nothing: what arithmetic may evaluate."""
    PLAIN = 1
    """Characters that neither split a word nor match file names."""
    TEXT = 2
    """Anything."""


Value = frozenset[Kind | str]
"""Kinds, and names of places that a value may come from; a value is of the largest of their kinds."""
NUMBER: Value = frozenset({Kind.NUMBER})
TEXT: Value = frozenset({Kind.TEXT})
NOTHING: Value = frozenset()
_NUMBER = re.compile(r"(?a)[-0-9]*")
_PLAIN = re.compile(r"(?a)[-A-Za-z0-9_.:,+@/=]*")


def of_literal(text: str) -> Value:
    """Return the kind of a text that is spelled out."""
    if _NUMBER.fullmatch(text):
        return NUMBER
    return frozenset({Kind.PLAIN if _PLAIN.fullmatch(text) else Kind.TEXT})


@dataclass(frozen=True, slots=True)
class Need:
    """A place where a value must be of a kind."""

    value: Value
    kind: Kind
    start: int
    end: int
    reason: str


@dataclass(slots=True)
class Values:
    """Where the values of variables and arguments come from, and what they must be."""

    bound: dict[str, set[Kind | str]] = field(default_factory=dict)
    computed: set[str] = field(default_factory=set)
    """Places that are numbers if all that they are given are numbers, and may hold anything if not."""
    needs: list[Need] = field(default_factory=list)

    def bind(self, place: str, value: Value) -> None:
        """Record that a place may hold a value."""
        self.bound.setdefault(place, set()).update(value)

    def compute(self, place: str, value: Value) -> Value:
        """Return what a program prints that computes with a value: of anything but numbers, any text."""
        self.bind(place, value)
        self.computed.add(place)
        return frozenset({place})

    def need(self, value: Value, kind: Kind, start: int, end: int, reason: str) -> None:
        """Record that a value must be of a kind."""
        self.needs.append(Need(value, kind, start, end, reason))

    def unmet(self) -> list[Need]:
        """Return the needs that are not met, whatever order the code runs in."""
        kinds = self._solved()
        return [need for need in self.needs if self._kind(need.value, kinds) > need.kind]

    def _solved(self) -> dict[str, Kind]:
        """Return the kind of each place: the smallest that holds all it may be given."""
        kinds = dict.fromkeys(self.bound, Kind.NUMBER)
        users: dict[str, list[str]] = {}
        for place, value in self.bound.items():
            for source in value:
                if isinstance(source, str):
                    users.setdefault(source, []).append(place)
        todo = [(place, self._given(value)) for place, value in self.bound.items()]
        while todo:
            place, kind = todo.pop()
            if place in self.computed and kind > Kind.NUMBER:
                kind = Kind.TEXT
            if kinds[place] < kind:
                kinds[place] = kind
                todo += [(user, kind) for user in users.get(place, ())]
        return kinds

    def _given(self, value: set[Kind | str]) -> Kind:
        """Return the kind of a value by itself. What nothing is bound to may hold anything."""
        return self._kind(value, dict.fromkeys(self.bound, Kind.NUMBER))

    def _kind(self, value: Value | set[Kind | str], kinds: dict[str, Kind]) -> Kind:
        found = (one if isinstance(one, Kind) else kinds.get(one, Kind.TEXT) for one in value)
        return max(found, default=Kind.NUMBER)
