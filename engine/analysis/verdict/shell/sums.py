"""Arithmetic: bash evaluates what a variable holds as an expression again, so all of it must be numbers."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.names import NAME
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.values import NUMBER, Kind
from engine.analysis.verdict.shell.words import Word, Words

_SPACE = re.compile(r"(?a)[ \t\n]+")
_NUMBER = re.compile(r"(?a)(?:0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z]+|\d+)(?![\w#$\[@])")
_OPERATOR = re.compile(r"(?a)\*\*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&^|]=|[-+*/%<>!~&^|?:,=]")
_ASSIGNS = re.compile(r"(?a)[ \t\n]*(?P<operator>=(?!=)|<<=|>>=|[-+*/%&^|]=|\+\+|--)")
_JOINS = re.compile(r"(?a)[\w#$\[@]")
_REASON = "arithmetic evaluates what this holds, which may not be a number"


class Sums:
    """Reads arithmetic."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def read(self, state: State, *ends: str) -> str:
        """Read up to one of `ends` outside parentheses, and return which it was; it is passed over."""
        state.may_fail()
        with state.expansion():
            return self._tokens(state, ends)

    def _tokens(self, state: State, ends: tuple[str, ...]) -> str:
        depth, ternary = 0, ":" not in ends
        while True:
            end = next((end for end in ends if state.looking(end)), None) if depth == 0 else None
            if end is not None:
                state.at += len(end)
                return end
            depth += self._token(state, ternary=ternary)
            if depth < 0:
                state.stop("a parenthesis without its other half")

    def _token(self, state: State, *, ternary: bool) -> int:
        """Read one token, and return by how much it opens or closes parentheses."""
        if state.match(_SPACE) or state.match(_NUMBER):
            return 0
        if state.take("("):
            return 1
        if state.take(")"):
            return -1
        if name := state.match(NAME):
            self._variable(state, name)
        elif state.looking("$"):
            self._expansion(state)
        elif not (operator := state.match(_OPERATOR)):
            state.stop("arithmetic that is not in the provable subset")
        elif operator[0] == "?" and not ternary:
            state.stop("a condition within a slice is not in the provable subset")
        return 0

    def _variable(self, state: State, name: re.Match[str]) -> None:
        self._not_joined(state)
        assigns = _ASSIGNS.match(state.text, state.at)
        before = state.text[: name.start()].rstrip(" \t\n")[-2:] in {"++", "--"}
        if assigns is None or assigns["operator"] != "=":
            value = state.read_variable(name[0], name.start())
            state.values.need(value, Kind.NUMBER, name.start(), state.at, _REASON)
        if before or assigns is not None:
            state.assign(name[0], NUMBER, name.start())

    def _expansion(self, state: State) -> None:
        start = state.at
        word = Word(start)
        self._words.dollar_quoted(state, word)
        if word.text is not None or word.several:
            state.stop("arithmetic that is not in the provable subset")
        state.values.need(word.value, Kind.NUMBER, start, state.at, _REASON)
        self._not_joined(state)

    def _not_joined(self, state: State) -> None:
        """Refuse what would join two tokens to one name."""
        if re.match(r"[\w$#\[@]", state.char() or " "):
            state.stop("names that are made up within arithmetic")
