"""Simple commands: assignments, words and redirections, and what the command does with them."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.arguments import check_command
from engine.analysis.verdict.shell.assignments import Assigned, Assignments
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
        start, words, redirected, owned = state.at, list[Word](), "", state.owned
        assigned = self._assignments.prefix(state)
        while not self._ends_command(state):
            at = state.at
            if self._redirections.read(state):
                redirected += state.text[at : state.at]
            elif words and self._assignments.declares(state, words):
                pass
            elif not words and (bracket := state.match(_BRACKET)):
                words.append(Word(bracket.start(), text="[", prefix="[").close(state.at))
            else:
                words.append(self._words.read_some(state))
            state.blanks()
        if state.at == start:
            state.stop("a statement that is not in the provable subset")
        value = self._done(state, words, assigned)
        if "<<" in redirected:
            state.owned = owned  # where there is no space for the text, nothing is done
        return TEXT if "&" in redirected else value

    def _done(self, state: State, words: list[Word], assigned: list[Assigned]) -> Value:
        """Record what a command assigns and does, and return what it prints."""
        if not words:
            self._assignments.record(state, assigned)
            return TEXT
        self._assignments.check_prefix(state, assigned, words[0])
        return check_command(state, words)

    def _ends_command(self, state: State) -> bool:
        char = state.char()
        if char == "#":
            state.match(_COMMENT)
            return True
        if char == "&" and not state.looking("&>"):
            return True
        return char in {"", "\n", ";", "|", ")"}
