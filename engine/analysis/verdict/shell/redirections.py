"""Redirections and here-documents: those that reach no file."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.state import Here, State
from engine.analysis.verdict.shell.words import Word, Words

_AFTER = r"(?=[\s;&|)]|$)"
_REDIRECT = re.compile(
    rf"(?:&>>?|[12]?>>?)[ \t]*/dev/null{_AFTER}|[12]?>&[ \t]*[12]{_AFTER}|0?<[ \t]*/dev/null{_AFTER}"
)
_HERE = re.compile(
    r"(?a)<<(?P<tabs>-?)[ \t]*(?:(?P<plain>[A-Za-z_]\w*)|'(?P<single>[A-Za-z_]\w*)'"
    rf"|\"(?P<double>[A-Za-z_]\w*)\"){_AFTER}"
)
_AFTER_HERE = re.compile(r"(?a)[-\w \t|;<>/&]*(?:\n|$)")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_ANY_REDIRECT = re.compile(r"(?a)\d*[<>]|&>")


class Redirections:
    """Reads redirections."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def read_all(self, state: State) -> str:
        """Pass over the redirections that come next, and return them."""
        state.blanks()
        start = state.at
        while self.read(state):
            state.blanks()
        return state.text[start : state.at]

    def check_kept(self, state: State, start: int, before: tuple[frozenset[str], frozenset[str]]) -> None:
        """Forget what a command assigns that does not run where there is no space for its here-document."""
        state.owned &= before[0]
        if state.maps != before[1]:
            state.refuse(start, state.at, "an associative array that is not always declared")

    def read(self, state: State) -> bool:
        """Pass over a redirection, if one comes next."""
        if state.match(_REDIRECT):
            return True
        if state.take("<<<"):
            state.blanks()
            start = state.at
            self._words.read(state, splits=False)
            if start == state.at:
                state.stop("a here-string without a text")
            return True
        if found := state.match(_HERE):
            mark = found["plain"] or found["single"] or found["double"]
            if state.substituted:
                state.stop("a here-document within a substitution is read in different ways")
            if not _AFTER_HERE.match(state.text, state.at):
                state.stop("what follows the mark of a here-document is not in the provable subset")
            quoted = not found["plain"]
            if not quoted:
                state.may_fail()
            known = (state.owned, state.maps)
            state.heres.append(Here(mark, quoted=quoted, tabs=bool(found["tabs"]), known=known))
            return True
        if _ANY_REDIRECT.match(state.text, state.at):
            state.stop("a redirection that reads or writes a file")
        return False

    def here_text(self, state: State, here: Here) -> None:
        """Read the text of a here-document, up to the line that ends it."""
        start, end = state.at, None
        for line in _LINE.finditer(state.text, start):
            text = line[0].rstrip("\n")
            if (text.lstrip("\t") if here.tabs else text) == here.mark:
                end = line.start()
                break
            if line.end() == len(state.text):
                break
        if end is None:
            state.stop("a here-document without an end")
        if not here.quoted:
            self._expanded_text(state, end, here)
        state.at = end
        state.match(_LINE)

    def _expanded_text(self, state: State, end: int, here: Here) -> None:
        """Read what bash expands when the command of the here-document runs, before what follows that."""
        if "\\\n" in state.text[state.at : end]:
            state.stop("a line is continued within a here-document")
        whole, state.text, state.heredoc = state.text, state.text[:end], True
        known, (state.owned, state.maps) = (state.owned, state.maps), here.known
        self._words.double(state, Word(state.at), "")
        state.text, state.heredoc = whole, False
        state.owned, state.maps = known
