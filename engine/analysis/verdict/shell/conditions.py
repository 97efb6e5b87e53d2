"""Conditions: `[[ … ]]`, and the forms of `test` and `[` that compare texts and numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.values import Kind
from engine.analysis.verdict.shell.words import Word, Words

_SPACE = re.compile(r"[ \t\n]+")
_END = re.compile(r"\]\](?=[\s;&|)]|$)")
_UNARY = re.compile(r"(?a)-([a-zA-Z])(?=[ \t])")
_BINARY = re.compile(r"(==|=~|!=|=|<|>|-(?:eq|ne|lt|le|gt|ge))(?=[ \t])")
_REGEX = re.compile(r"(?a)(?:[A-Za-z0-9^.*+?(){}|:_,@%/=-]|\\[^\nA-Za-z0-9]|\$(?=[ \t)|]))+")
_BRACKET = re.compile(r"(?a)\[\^?\]?(?:\[:[a-z]+:\]|[A-Za-z0-9_.,:;/%+@=!#^*?(){}|~-])*\]")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_NAMED = re.compile(r"(?a)\$(?:\w|\{\w+\})")
_NUMERIC = "`[[` evaluates what this holds as arithmetic, and it may not be a number"
_COMPARES = frozenset({"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_ASKS = frozenset({"-z", "-n"})
_CONNECTS = "only comparisons of texts and numbers are in the provable subset of `test`"


class Conditions:
    """Reads `[[ … ]]`."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def read(self, state: State) -> None:
        """Read up to `]]`, which is passed over."""
        with state.nesting():
            self._any(state)
            state.match(_SPACE)
            if not state.match(_END):
                state.stop("a condition that is not in the provable subset")

    def _any(self, state: State) -> None:
        self._one(state)
        state.match(_SPACE)
        while state.take("&&") or state.take("||"):
            self._one(state)
            state.match(_SPACE)

    def _one(self, state: State) -> None:
        state.match(_SPACE)
        while state.take("! "):
            state.match(_SPACE)
        if state.take("("):
            with state.nesting():
                self._any(state)
                state.expect(")")
        elif found := state.match(_UNARY):
            self._asks(state, found)
        else:
            self._compares(state)

    def _asks(self, state: State, found: re.Match[str]) -> None:
        """Read what an operator such as `-z` asks about."""
        state.match(_SPACE)
        if found[1] not in {"n", "z"}:
            state.refuse(found.start(), found.end(), f"`-{found[1]}` asks about a file or the shell")
        self._words.read(state, splits=False)

    def _compares(self, state: State) -> None:
        left = self._words.read(state, splits=False)
        if left.start == state.at:
            state.stop("a condition that is not in the provable subset")
        state.match(_SPACE)
        operator = state.match(_BINARY)
        if operator is None:
            return
        state.match(_SPACE)
        if operator[1] == "=~":
            self._regex(state)
            return
        right = self._words.read(state, splits=False, pattern=True)
        if operator[1].startswith("-"):
            self._number(state, left)
            self._number(state, right)

    def _regex(self, state: State) -> None:
        """Read a regular expression up to the next blank outside brackets."""
        word, start = Word(state.at), state.at
        while state.char() not in {"", " ", "\t", "\n"}:
            if state.match(_REGEX) or state.match(_BRACKET):
                continue
            if _NAMED.match(state.text, state.at) is None:
                state.stop("a regular expression that is not in the provable subset")
            self._words.dollar_quoted(state, word)
        if state.at == start:
            state.stop("a condition that is not in the provable subset")
        if not _is_balanced(_ESCAPED.sub("", state.text[start : state.at])):
            state.stop("bash reads to the other half of each parenthesis")

    def _number(self, state: State, word: Word) -> None:
        state.values.need(word.value, Kind.NUMBER, word.start, word.end, _NUMERIC)


def _is_balanced(text: str) -> bool:
    """Return whether each parenthesis has its other half for bash, which heeds no brackets."""
    depth = 0
    for mark in text:
        depth += (mark == "(") - (mark == ")")
        if depth < 0:
            return False
    return depth == 0


def check_test(state: State, words: Sequence[Word], end: int) -> None:
    """Refuse a `test` that could ask about files or evaluate an index, whatever its words become."""
    for word in words:
        if word.many and word.open:
            state.values.need(word.open, Kind.NUMBER, word.start, word.end, "this may split within `test`")
        elif word.many:
            state.refuse(word.start, word.end, "this may become several words within `test`")
    texts = [word.text for word in words]
    texts = texts[1:] if texts[:1] == ["!"] else texts
    if len(texts) == 3 and words[-1].many:  # without it, the first is an operator for the second
        state.values.need(words[-3].value, Kind.NUMBER, words[-3].start, end, "this may ask about a file")
    simple = len(texts) <= 1
    asks = len(texts) == 2 and texts[0] in _ASKS
    compares = len(texts) == 3 and texts[1] in _COMPARES
    if not (simple or asks or compares):
        start = words[0].start if words else end
        state.refuse(start, end, _CONNECTS)
