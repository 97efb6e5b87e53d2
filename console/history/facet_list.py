"""What there is among the submissions that a search finds: by risk, status, kill and more."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from console.safety.text import Part, clip, pad
from console.widgets.formatting import bar
from console.widgets.rows import Rows
from engine.models import Facets

KINDS = {"risk": 4, "status": 8, "kill": 10, "lang": 3, "requester": 8, "day": 7}
"""The kinds, and how many values of each are listed."""
COUNT, BAR = 9, 6


class Facet(NamedTuple):
    """One line: a heading where `term` is empty, else what is added to the search or runs as one."""

    term: str
    words: str
    many: int = 0
    share: float = 0.0


class FacetList(Rows):
    """Enter on a line narrows the search to it, or widens it again."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("Nothing to count.", "muted")],)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Among these"
        self.border_subtitle = "Enter narrows   f closes"
        self._lines: list[Facet] = []
        self._kept: list[str] = []
        self._facets: Facets | None = None

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def chosen(self) -> Facet | None:
        """The line under the cursor."""
        return self._lines[self.cursor] if self._lines else None

    def keep(self, searches: list[str]) -> None:
        """List other searches that are kept."""
        self._kept = searches
        self._list()

    def show(self, facets: Facets | None) -> None:
        """List other counts."""
        self._facets = facets
        self._list()

    def _list(self) -> None:
        self._lines = [Facet("", "kept searches")] if self._kept else []
        self._lines += [Facet(each, each) for each in self._kept]
        if self._facets:
            exact = "" if self._facets.exact else " of the newest"
            self.border_title = f"Among {self._facets.total:,}{exact}"
            for kind, most in KINDS.items():
                self._lines += _of_kind(kind, most, self._facets)
        self.refit()
        if self.cursor == 0 and self._lines:
            self.cursor = 1  # a heading is nothing to search for

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a heading, or a value with its bar and its count."""
        facet = self._lines[index]
        if not facet.term:
            return [" ", (facet.words, "bold muted")]
        if not facet.many:
            return ["   ", ("★ ", "accent"), clip(facet.words, width - 6)]
        words = pad(facet.words, max(4, width - COUNT - BAR - 6))
        return ["   ", words, " ", *bar(facet.share, BAR, "primary"), (f"{facet.many:>{COUNT},}", "muted")]


def _of_kind(kind: str, most: int, facets: Facets) -> list[Facet]:
    counts = facets.counts.get(kind, {})
    if not counts:
        return []
    listed = sorted(counts.items(), reverse=True) if kind == "day" else list(counts.items())
    highest = max(counts.values())
    return [
        Facet("", kind),
        *(Facet(term(kind, value), value, count, count / highest) for value, count in listed[:most]),
    ]


def term(kind: str, value: str) -> str:
    """Return the term that finds one value of a kind."""
    quoted = f'"{value}"' if any(mark in value for mark in ' "') else value
    return f"since:{value}" if kind == "day" else f"{kind}:{quoted}"


def narrowed(filter: str, facet: Facet) -> str:
    """Return a search with a value added, or taken out where it is in it; a kept search stands for itself."""
    words = filter.split()
    if not facet.many:
        return facet.term
    if facet.term in words:
        return " ".join(word for word in words if word != facet.term)
    return f"{filter} {facet.term}".strip()
