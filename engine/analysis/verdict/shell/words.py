"""Words: quotes, expansions and patterns, and what they may become."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.values import NUMBER, Kind, Value, of_literal

_LITERAL = re.compile(r"(?a)[-A-Za-z0-9_.,:/%+@=!#^\]]+")
_ENDS = frozenset(" \t\n;&|<>()")
_GLOBS = frozenset("*?[")
_SINGLE = re.compile(r"(?a)'([^']*)'")
_DOUBLE = re.compile(r'[^"\\$`]+')
_ANSI = re.compile(
    r"(?a)\$'((?:[^'\\]|\\[abeEfnrtv\\'\"?]|\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3}|\\u[0-9a-fA-F]{4})*)'"
)
_BYTES = re.compile(r"(?<!\\)(?:\\\\)*\\(?:x[89a-fA-F][0-9a-fA-F]|[2-7][0-7]{2}|u[dD][89a-fA-F])")
"""Escapes of bytes that are no characters by themselves, so that each program reads them in its own way."""
_ANSI_ESCAPE = re.compile(r"(?a)\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL)
_CODES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_UNENDED = re.compile(r"(?a)\$\w*\Z")
_RANGE = re.compile(r"(?a)\{-?\d{1,9}\.\.-?\d{1,9}(?:\.\.-?\d{1,9})?\}")
_LETTERS = re.compile(r"(?a)\{(?:[a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])(?:\.\.-?\d{1,9})?\}")
_CHOICE = re.compile(r"(?a)\{[A-Za-z0-9_.:/+@]+(?:,[A-Za-z0-9_.:/+@]+)+\}")


HOLE = "\0"
"""Stands for an expansion in the shape of a word."""


@dataclass(slots=True)
class Word:
    """One word of the script."""

    start: int
    end: int = 0
    text: str | None = ""
    """What it is, where it is spelled out."""
    prefix: str = ""
    """What it begins with, up to the first expansion."""
    shape: str = ""
    """What it is, with `HOLE` for each expansion."""
    value: Value = field(default_factory=frozenset)
    expanded: Value = field(default_factory=frozenset)
    """What its expansions become."""
    open: Value = field(default_factory=frozenset)
    """What is expanded outside quotes, where it may split and match file names."""
    many: bool = False
    """Whether it may become no word or several."""
    several: bool = False
    """Whether it holds all elements of a list."""
    quoted: bool = False
    """Whether anything in it is quoted."""

    def add(self, text: str) -> None:
        """Append a text that is spelled out."""
        self.shape += text
        if self.text is not None:
            self.text += text
            self.prefix += text
        else:
            self.value |= of_literal(text)

    def expand(self, value: Value, *, quoted: bool, many: bool = False) -> None:
        """Append an expansion."""
        self.shape += HOLE
        if self.text is not None:
            self.value |= of_literal(self.text)
        self.text = None
        self.value |= value
        self.expanded |= value
        self.open |= frozenset() if quoted else value
        self.several |= many
        self.many |= many or not quoted

    def close(self, end: int) -> Word:
        """Return the word, ended."""
        self.end = end
        if self.text is not None:
            self.value = of_literal(self.text)
        return self


Expand = Callable[[State, Word, bool], None]
"""Reads an expansion that begins with `$` and appends it to a word; told whether it is quoted."""


class Words:
    """Reads words."""

    def __init__(self, expand: Expand) -> None:
        self._expand = expand

    def read(self, state: State, *, splits: bool = True, pattern: bool = False) -> Word:
        """Read a word. Where it splits, what could match file names is refused; a pattern may have globs."""
        word = Word(state.at)
        if state.looking("#"):
            state.stop("a comment is not expected here")
        while (char := state.char()) and char not in _ENDS:
            self._part(state, word, char, splits=splits, pattern=pattern)
        if splits and word.open:
            reason = "an expansion outside quotes may split, or match the names of files"
            state.values.need(word.open, Kind.PLAIN, word.start, state.at, reason)
        if not splits and word.several:
            word.value |= {Kind.TEXT}
        return word.close(state.at)

    def read_some(self, state: State) -> Word:
        """Read a word that splits, which may not be missing."""
        start = state.at
        word = self.read(state)
        if state.at == start:
            state.stop("a word that is not in the provable subset")
        return word

    def _part(self, state: State, word: Word, char: str, *, splits: bool, pattern: bool) -> None:
        if found := state.match(_LITERAL):
            word.add(found[0])
        elif char in "'\"\\":
            self.quoted(state, word)
        elif char == "$":
            self._dollar(state, word)
        elif char == "}" or self._stands_for_itself(state, word, char, literal=pattern or not splits):
            state.at += 1
            word.add(char)
        elif char == "{":
            self._braces(state, word, splits=splits)
        else:
            state.stop(_REASONS.get(char, "a character that is not in the provable subset"))

    def _stands_for_itself(self, state: State, word: Word, char: str, *, literal: bool) -> bool:
        """Return whether a `~` names no folder, or a `*` no files."""
        if char == "~":
            return word.text != "" and state.text[state.at - 1] not in {":", "=", "}"}
        return char in _GLOBS and literal

    def quoted(self, state: State, word: Word) -> None:
        """Read what is quoted by one of the three quotes."""
        word.quoted = True
        if found := state.match(_SINGLE):
            word.add(found[1])
        elif state.take('"'):
            self._double(state, word)
        elif state.take("\\") and state.char() not in {"", "\n"}:
            word.add(state.char())
            state.at += 1
        else:
            state.stop("a quote without an end")

    def _double(self, state: State, word: Word) -> None:
        """Read up to the second quote: only `$` and some backslashes have a meaning."""
        while not state.take('"'):
            if found := state.match(_DOUBLE):
                word.add(found[0])
            elif state.take("\\"):
                self._escaped(state, word)
            elif state.looking("$"):
                self.dollar_quoted(state, word)
            else:
                state.stop(_REASONS.get(state.char(), "a quote without an end"))

    def _escaped(self, state: State, word: Word) -> None:
        char = state.char()
        line = state.text.rfind("\n", 0, state.at) + 1
        if char == "\n" and _UNENDED.search(state.text, line, state.at - 1):
            state.stop("a line is continued within an expansion")
        state.at += 1
        if char != "\n":
            word.add(char if char in '$`"\\' else "\\" + char)

    def dollar_quoted(self, state: State, word: Word) -> None:
        """Read a `$` within double quotes."""
        if state.text[state.at + 1 : state.at + 2] in {
            "",
            " ",
            "\n",
            '"',
            "'",
            "%",
            ".",
            ",",
            "/",
            "\\",
            ")",
            ":",
        }:
            state.at += 1
            word.add("$")
        else:
            self._expand(state, word, True)

    def _dollar(self, state: State, word: Word) -> None:
        if state.looking("$'"):
            self._ansi(state, word)
        elif state.text[state.at + 1 : state.at + 2] in {"", " ", "\n"}:
            state.at += 1
            word.add("$")
        else:
            self._expand(state, word, False)

    def _ansi(self, state: State, word: Word) -> None:
        """Read `$'…'`."""
        found = state.match(_ANSI)
        text = _ANSI_ESCAPE.sub(_code, found[1]) if found else "\0"
        if "\0" in text or (found and _BYTES.search(found[1])):
            state.stop("a `$'…'` that is not in the provable subset")
        word.quoted = True
        word.add(text)

    def _braces(self, state: State, word: Word, *, splits: bool) -> None:
        if word.text is None:
            state.stop("braces may change the names of variables before them")
        elif splits and state.match(_RANGE):
            word.expand(NUMBER, quoted=True, many=True)
        elif splits and (state.match(_LETTERS) or state.match(_CHOICE)):
            word.expand(frozenset({Kind.PLAIN}), quoted=True, many=True)
        else:
            state.stop("braces that are not in the provable subset")


_REASONS = {
    "`": "backquotes are not in the provable subset: write `$(…)`",
    **dict.fromkeys(_GLOBS, "a pattern that matches the names of files"),
    "~": "a `~` that names a folder",
}


def _code(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xu":
        return chr(int(code[1:], 16))
    return chr(int(code, 8) & 0xFF) if code[0] in "01234567" else _CODES.get(code, code)
