"""What a module of the library offers to a proven program."""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.python.word_lists import words


@dataclass(frozen=True, slots=True)
class SafeModule:
    """The names of one module that a proven program may use."""

    why: str
    values: frozenset[str]
    calls: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """All names on the list."""
        return self.values | self.calls | self.types


def module(why: str, values: str, calls: str = "", types: str = "") -> SafeModule:
    """Return a module whose names are given as words."""
    return SafeModule(why, *(frozenset(words(names)) for names in (values, calls, types)))
