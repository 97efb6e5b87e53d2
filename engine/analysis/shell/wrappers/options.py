"""The option grammar of a program that runs another, and where the command begins in its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program takes the command that it runs."""

    valued: Mapping[str, int]
    """How many values an option takes: letters, and names without their dashes."""
    texts: frozenset[str] = frozenset()
    """Options whose value is shell code."""
    ends: frozenset[str] = frozenset()
    """Options with which no command is run."""
    skip: int = 0
    """Operands that come before the command."""
    optional: re.Pattern[str] | None = None
    """What a first operand looks like that comes before the command and may be missing."""
    after: frozenset[str] = frozenset()
    """Words behind which the command begins, where it begins nowhere else."""
    mixed: bool = False
    """Whether options may follow operands."""
    assigns: bool = False
    """Whether `NAME=value` may come before the command."""
    joined: bool = False
    """Whether the words are joined by blanks and given to a shell."""
    kept: bool = False
    """Whether the program counts besides the command that it runs."""
    reads: bool = False
    """Whether it starts a shell that reads its input where it is given no command."""


class Text(NamedTuple):
    """Shell code among the words: which of them it is, and how many characters come before it."""

    first: int
    last: int
    offset: int = 0


class Inner(NamedTuple):
    """Where the command begins, and the shell code that options hold."""

    at: int | None
    texts: tuple[Text, ...] = ()


def grammar(
    text: str = "", skip: int = 0, flags: str = "", *, optional: str = "", after: str = ""
) -> Wrapper:
    """Return a wrapper of an option grammar, how many operands come first, and its properties by name."""
    words = text.split()
    valued = {word.rstrip(":"): word.count(":") for word in words if word[-1] == ":"}
    texts, ends = (frozenset(word[:-1] for word in words if word[-1] == mark) for mark in "!.")
    pattern = re.compile(optional) if optional else None
    properties = dict.fromkeys(flags.split(), True)
    return Wrapper(valued, texts, ends, skip, pattern, frozenset(after.split()), **properties)


def read_words(wrapper: Wrapper, words: Sequence[str]) -> Inner:
    """Return where the command begins in the words behind the name of a wrapper."""
    if wrapper.after:
        marks = [index for index, word in enumerate(words) if word in wrapper.after]
        return Inner(marks[0] + 1 if marks and marks[0] + 1 < len(words) else None)
    return _Reading(wrapper, words).read()


class _Reading:
    """One walk over the words, as getopt reads them."""

    def __init__(self, wrapper: Wrapper, words: Sequence[str]) -> None:
        self._wrapper = wrapper
        self._words = words
        self._texts: list[Text] = []
        self._at = 0

    def read(self) -> Inner:
        """Return where the command begins."""
        skip, open_options, optional = self._wrapper.skip, True, self._wrapper.optional
        while self._at < len(self._words):
            word = self._words[self._at]
            if open_options and word == "--":
                open_options = False
            elif open_options and word[:1] in {"-", "+"} and (len(word) > 1 or self._wrapper.assigns):
                if self._option(word):
                    return Inner(None, tuple(self._texts))
            elif self._wrapper.assigns and _is_assignment(word):
                pass
            elif optional is not None and optional.fullmatch(word):
                optional = None
            elif skip:
                skip -= 1
                open_options = self._wrapper.mixed
            else:
                return Inner(self._at, tuple(self._texts))
            self._at += 1
        return Inner(None, tuple(self._texts))

    def _option(self, word: str) -> bool:
        """Pass over an option and its value, and return whether it says that no command is run."""
        if word.startswith("--"):
            name, equals, _ = word[2:].partition("=")
            self._value(name, len(name) + 3 if equals else 0)
            return name in self._wrapper.ends
        for index, letter in enumerate(word[1:], 2):
            if letter in self._wrapper.ends:
                return True
            if letter in self._wrapper.valued or letter in self._wrapper.texts:
                self._value(letter, index if index < len(word) else 0)
                return False
        return False

    def _value(self, name: str, glued: int) -> None:
        """Note the value of an option, glued to it from a character on or the next word."""
        if name not in self._wrapper.valued and name not in self._wrapper.texts:
            return
        self._at += 0 if glued else self._wrapper.valued.get(name, 1)
        if name in self._wrapper.texts and self._at < len(self._words):
            self._texts.append(Text(self._at, self._at + 1, glued))


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()
