"""The distinct effects of one run: bounded, each with an exact counter. Pure."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from engine.common.effects.severity import ABSENCES, Deed, judged
from engine.common.text import Untrusted
from engine.models import Level
from engine.models.observed import DENIALS, Basis, ObservedEffect, ObservedKind

MOST_OF_A_KIND = 120
"""How many distinct effects of one kind and severity are kept; the others are counted.

By severity, so that many harmless effects leave space for a grave one.
"""
_MOST_TEXT = 360
_TAIL = 100

Key = tuple[ObservedKind, str, str, str, bool]


@dataclass(slots=True)
class _Entry:
    number: int
    kind: ObservedKind
    target: str
    process: str
    pid: int
    basis: Basis
    detail: str
    first: float
    last: float
    routine: bool
    count: int = 0
    refused: int = 0
    error: str = ""
    exit: int | None = None

    def effect(self) -> ObservedEffect:
        return ObservedEffect(
            number=self.number,
            kind=self.kind,
            target=Untrusted(shortened(self.target)),
            process=Untrusted(shortened(self.process)),
            pid=self.pid,
            basis=self.basis,
            detail=Untrusted(shortened(self.detail)),
            first=self.first,
            last=self.last,
            count=self.count,
            refused=self.refused,
            error=self.error,
            exit=self.exit,
            routine=self.routine,
        )


class Act(NamedTuple):
    """One thing that a process did."""

    kind: ObservedKind
    target: str
    process: str
    pid: int
    at: float
    """Seconds since 1970."""
    basis: Basis = Basis.KERNEL
    detail: str = ""
    errno: int = 0
    routine: bool = False


class EffectTable:
    """Adds acts to effects."""

    def __init__(self) -> None:
        self._entries: dict[Key, _Entry] = {}
        self._kinds: Counter[tuple[ObservedKind, bool, Level]] = Counter()
        self._changed: dict[int, _Entry] = {}
        self.counts: Counter[ObservedKind] = Counter()
        """How many acts of each kind there were."""
        self.omitted = 0
        """How many acts belong to effects that are not kept."""

    def add(self, act: Act) -> _Entry | None:
        """Count an act, and return its effect if that is kept."""
        self.counts[act.kind] += 1
        entry = self._entry(act)
        if entry is None:
            self.omitted += 1
            return None
        entry.count += 1
        entry.last = act.at
        if act.errno:
            entry.refused += 1
            if entry.error not in DENIALS:
                entry.error = errno.errorcode.get(act.errno, str(act.errno))
        self._changed[entry.number] = entry
        return entry

    def _entry(self, act: Act) -> _Entry | None:
        key = (act.kind, act.target, act.detail, act.process, act.routine)
        if (found := self._entries.get(key)) is not None:
            return found
        group = act.kind, act.routine, _severity(act)
        if self._kinds[group] >= MOST_OF_A_KIND:
            return None
        self._kinds[group] += 1
        entry = _Entry(
            len(self._entries) + 1, act.kind, act.target, act.process, act.pid, act.basis, act.detail,
            act.at, act.at, act.routine,
        )  # fmt: skip
        self._entries[key] = entry
        return entry

    def prove(self, entry: _Entry | None) -> None:
        """Note that the kernel itself named the target of an effect, if that is kept."""
        if entry is not None and entry.basis is not Basis.KERNEL:
            entry.basis = Basis.KERNEL
            self._changed[entry.number] = entry

    def ended(self, entry: _Entry, code: int) -> None:
        """Note the exit code of a process."""
        entry.exit = code
        self._changed[entry.number] = entry

    def kept(self) -> list[ObservedEffect]:
        """Return every effect that is kept, in the order in which they were first seen."""
        return [entry.effect() for entry in self._entries.values()]

    def has_target(self, target: str) -> bool:
        """Return whether an effect on this target is kept."""
        return any(key[1] == target for key in self._entries)

    def changes(self) -> Iterator[ObservedEffect]:
        """Yield the effects that are new or have changed since the last call."""
        changed, self._changed = self._changed, {}
        for entry in changed.values():
            yield entry.effect()


def _severity(act: Act) -> Level:
    error = errno.errorcode.get(act.errno, "")
    return judged(Deed(act.kind, act.target, act.detail, error in DENIALS, error in ABSENCES))[0]


def shortened(text: str) -> str:
    """Return a text of bounded length: its beginning, how much is left out, and its end."""
    if len(text) <= _MOST_TEXT + _TAIL:
        return text
    return f"{text[:_MOST_TEXT]}…({len(text) - _MOST_TEXT - _TAIL} more)…{text[-_TAIL:]}"
