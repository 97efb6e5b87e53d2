"""Expansions: `$name`, `${…}`, `$(…)` and `$((…))`."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.sums import Sums
from engine.analysis.verdict.shell.values import NUMBER, TEXT, Value
from engine.analysis.verdict.shell.words import Word, Words

_SHORT = re.compile(r"(?a)\$(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d)|(?P<special>[@*#?$_-]))")
_LONG = re.compile(r"(?a)\$\{(?P<mark>#?)(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<special>[@*#?$-]))?")
_ALL = re.compile(r"(?a)\[[@*]\]")
_DEFAULT = re.compile(r"(?a):?[-+?]")
_ASSIGNED = re.compile(r"(?a):?=")
_CUT = re.compile(r"(?a)##?|%%?")
_CASE = re.compile(r"(?a)(?:\^\^?|,,?|~~?)(?=\})")
_WHERE = re.compile(r"[/#%]")
_INDEX = re.compile(r"(?a)(?=[-+*/%\w $#]+\])")
"""An index whose end is the same in whatever way bash looks for it."""
_INNER = re.compile(r"(?a)[-A-Za-z0-9_ .,:;@%+=!?*\[\]^#&|\t]+")
_ESCAPED = re.compile(r"(?a)\\[^\n]")
_MISREAD = re.compile(r'["\\]|[ \t\n]#')
"""What bash reads in another way where it looks again for the end of a sum: ` #` is a comment then."""
_NAMES_READ = {"#": NUMBER, "?": NUMBER, "$": NUMBER, "-": TEXT}


class Expansions:
    """Reads expansions."""

    def __init__(self, words: Words, sums: Sums, substitute: Callable[[State], Value]) -> None:
        self._words = words
        self._sums = sums
        self._substitute = substitute

    def read(self, state: State, word: Word, quoted: bool) -> None:
        """Read an expansion that begins with `$`, and append it to a word."""
        with state.nesting():
            if state.take("$(("):
                self._sum(state)
                word.expand(NUMBER, quoted=quoted, many=False)
            elif state.take("$("):
                word.expand(self._substitute(state), quoted=quoted)
            elif state.looking("${"):
                with state.expansion():
                    self._long(state, word, quoted=quoted)
            elif found := state.match(_SHORT):
                self._append(state, word, found, quoted=quoted)
            else:
                state.stop("an expansion that is not in the provable subset")

    def _sum(self, state: State) -> None:
        start = state.at
        self._sums.read(state, "))")
        if found := _MISREAD.search(state.text, start, state.at):
            state.refuse(found.start(), found.end(), "bash looks for the end of a sum in different ways")

    def _append(self, state: State, word: Word, found: re.Match[str], *, quoted: bool) -> None:
        many = found["special"] in {"@", "*"}
        word.expand(self._value(state, found), quoted=quoted, many=many)

    def _value(self, state: State, found: re.Match[str]) -> Value:
        if found["name"]:
            return state.read_variable(found["name"], found.start())
        if found["number"]:
            return state.read_argument(found["number"])
        if found["special"] in {"@", "*"}:
            return TEXT if found["special"] == "*" else state.read_argument("*")
        return _NAMES_READ.get(found["special"] or "", TEXT)

    # --- ${…} ---------------------------------------------------------------------------------------------

    def _long(self, state: State, word: Word, *, quoted: bool) -> None:
        found = state.match(_LONG)
        if found is None:
            state.stop("an expansion that is not in the provable subset")
        if found["mark"] and found[0] == "${#" and state.take("}"):
            word.expand(NUMBER, quoted=quoted)
            return
        if found.lastgroup in {None, "mark"}:
            state.stop("an expansion that is not in the provable subset")
        value = self._value(state, found)
        all_of = self._index(state, found["name"])
        if found["mark"]:
            state.expect("}")
            word.expand(NUMBER, quoted=quoted)
            return
        sliced = found["special"] in {"@", "*"} and state.looking(":")  # from 0 on, that has `$0`
        operand = self._operation(state)
        value |= operand.value
        many = found["special"] in {"@", "*"} or bool(all_of) or operand.several
        value |= TEXT if sliced else frozenset()
        value |= TEXT if all_of == "*" else frozenset()
        word.expand(value, quoted=quoted, many=many)

    def _index(self, state: State, name: str | None) -> str:
        """Read `[…]`, and return `@` or `*` where it asks for all elements."""
        if name is None or not state.looking("["):
            return ""
        if found := state.match(_ALL):
            return found[0][1]
        state.at += 1
        if state.match(_INDEX) is None:
            state.stop("an index that is not in the provable subset")
        state.arrays.add(name)
        self._sums.read(state, "]")
        return ""

    def _operation(self, state: State) -> Word:
        """Read the rest of `${name…}`, and return what it adds to the values that the variable may have."""
        if state.take("}") or state.match(_CASE):
            return self._ended(state)
        if state.match(_ASSIGNED):
            state.stop("an assignment within an expansion")
        if state.match(_DEFAULT):
            return self._operand(state)
        return self._part(state)

    def _part(self, state: State) -> Word:
        """Read an operation that takes a part of the value or replaces one, and return what it adds."""
        added = Word(state.at)
        if state.take(":"):
            while self._sums.read(state, ":", "}") == ":":
                pass
        elif state.match(_CUT):
            self._operand(state)
        elif state.take("/"):
            state.match(_WHERE)
            added = self._replacement(state)
        else:
            state.stop("an expansion that is not in the provable subset")
        return added

    def _ended(self, state: State) -> Word:
        if state.text[state.at - 1] != "}":
            state.expect("}")
        return Word(state.at)

    def _replacement(self, state: State) -> Word:
        if self._until(state, Word(state.at), "/}") == "}":
            return Word(state.at)
        return self._operand(state)

    def _operand(self, state: State) -> Word:
        """Read an operand: one with a list becomes several words, or a text with what `IFS` begins with."""
        word = Word(state.at)
        self._until(state, word, "}")
        word.close(state.at)
        word.value |= TEXT if word.several else frozenset()
        return word

    def _until(self, state: State, word: Word, ends: str) -> str:
        """Read an operand up to one of `ends`, and return which it was."""
        while (char := state.char()) not in ends or not char:
            if (found := state.match(_INNER)) or (found := state.match(_ESCAPED)):
                word.add(found[0])
            elif char == "/":
                state.at += 1
                word.add("/")
            elif char == '"':
                self._words.quoted(state, word)
            elif char == "$":
                self._words.dollar_quoted(state, word)
            else:
                state.stop("an operand that is not in the provable subset")
        state.at += 1
        return char
