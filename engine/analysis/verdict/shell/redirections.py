"""Redirections and here-documents: those that reach no file."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.state import Here, State
from engine.analysis.verdict.shell.words import Words

_AFTER = r"(?=[\s;&|)]|$)"
_REDIRECT = re.compile(
    rf"(?:&>>?|[12]?>>?)[ \t]*/dev/null{_AFTER}|[12]?>&[ \t]*[12]{_AFTER}|0?<[ \t]*/dev/null{_AFTER}"
)
_HERE = re.compile(
    r"(?a)<<(?P<tabs>-?)[ \t]*(?:(?P<plain>[A-Za-z_]\w*)|'(?P<single>[A-Za-z_]\w*)'"
    rf"|\"(?P<double>[A-Za-z_]\w*)\"){_AFTER}"
)
_AFTER_HERE = re.compile(r"(?a)[-\w \t|;<>/&]*(?:\n|$)")
_EXPANDED = re.compile(r"[$`\\]")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_ANY_REDIRECT = re.compile(r"(?a)\d*[<>]|&>")


class Redirections:
    """Reads redirections."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def read_all(self, state: State) -> None:
        """Pass over the redirections that come next."""
        state.blanks()
        while self.read(state):
            state.blanks()

    def read(self, state: State) -> bool:
        """Pass over a redirection, if one comes next."""
        if state.match(_REDIRECT):
            return True
        if state.take("<<<"):
            state.blanks()
            if self._words.read(state, splits=False).start == state.at:
                state.stop("a here-string without a text")
            return True
        if found := state.match(_HERE):
            mark = found["plain"] or found["single"] or found["double"]
            if state.substituted:
                state.stop("a here-document within a substitution is read in different ways")
            if not _AFTER_HERE.match(state.text, state.at):
                state.stop("what follows the mark of a here-document is not in the provable subset")
            state.heres.append(Here(mark, quoted=not found["plain"], tabs=bool(found["tabs"])))
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
        if not here.quoted and (found := _EXPANDED.search(state.text, start, end)):
            state.refuse(found.start(), found.end(), "a here-document that bash expands")
        state.at = end
        state.match(_LINE)
