"""Simple commands: assignments, words and redirections, and what the command does with them."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.arguments import check_command
from engine.analysis.verdict.shell.assignments import Assignments
from engine.analysis.verdict.shell.redirections import Redirections
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.values import TEXT, Value
from engine.analysis.verdict.shell.words import Word, Words

_COMMENT = re.compile(r"#[^\n]*")
_BRACKET = re.compile(r"\[(?=[ \t])")


class SimpleCommands:
    """Reads simple commands."""

    def __init__(self, words: Words, assignments: Assignments, redirections: Redirections) -> None:
        self._words = words
        self._assignments = assignments
        self._redirections = redirections

    def read(self, state: State) -> Value:
        """Read a simple command, and return what it prints."""
        start, words, redirected, late = state.at, list[Word](), "", frozenset[str]()
        owned, maps = state.owned, state.maps
        assigned = self._assignments.prefix(state)
        while not self._ends_command(state):
            at = state.at
            if self._redirections.read(state):
                redirected += state.text[at : state.at]
            elif words and (found := self._declared(state, words)) is not None:
                late |= found
            elif not words and (bracket := state.match(_BRACKET)):
                words.append(Word(bracket.start(), text="[", prefix="[").close(state.at))
            else:
                words.append(self._words.read_some(state))
            state.blanks()
        if not words:
            if state.at == start:
                state.stop("a statement that is not in the provable subset")
            return TEXT
        state.owned = owned if assigned else state.owned | late
        self._assignments.check_prefix(state, assigned, words[0])
        value = check_command(state, words)
        if "<<" in redirected:
            self._redirections.check_kept(state, start, (owned, maps))
        return TEXT if "&" in redirected else value

    def _declared(self, state: State, words: list[Word]) -> frozenset[str] | None:
        """Read what `local` or the like assigns, if that comes next: after all its arguments are expanded."""
        owned, maps = state.owned, state.maps
        if not self._assignments.declares(state, words):
            return None
        late, state.owned, state.maps = state.owned - owned, owned, maps
        return late

    def _ends_command(self, state: State) -> bool:
        char = state.char()
        if char == "#":
            state.match(_COMMENT)
            return True
        if char == "&" and not state.looking("&>"):
            return True
        return char in {"", "\n", ";", "|", ")"}
