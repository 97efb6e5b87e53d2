"""Facets of a search: how many of its results have each risk, status, kill reason and so on."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from console.safety.text import Part, clip, pad
from console.widgets.formatting import bar
from console.widgets.rows import Rows
from engine.history.search.query.complete import quoted
from engine.models import Facets
from engine.models.shared_query import SharedQuery

KINDS = {"risk": 4, "status": 8, "kill": 10, "lang": 3, "requester": 8, "reviewer": 6, "observed.host": 8,
         "rule": 8, "surprise": 5, "day": 7}  # fmt: skip
"""The facets, and how many values of each are listed."""
COUNT, BAR = 9, 6


class Facet(NamedTuple):
    """One line: a heading if `term` is empty, a saved search if `many` is 0, else a value and its count."""

    term: str
    words: str
    many: int = 0
    share: float = 0.0


class FacetList(Rows):
    """Enter on a line narrows the search to it, or widens it again."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("Nothing to count.", "muted")],)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Facets"
        self.border_subtitle = "Enter filters   f closes"
        self._lines: list[Facet] = []
        self._saved: list[str] = []
        self._shared: tuple[SharedQuery, ...] = ()
        self._facets: Facets | None = None

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def chosen(self) -> Facet | None:
        """The line under the cursor."""
        return self._lines[self.cursor] if self._lines else None

    def show_saved(self, searches: list[str]) -> None:
        """List these saved searches."""
        self._saved = searches
        self._list()

    def show_shared(self, shared: tuple[SharedQuery, ...]) -> None:
        """List these shared searches."""
        self._shared = shared
        self._list()

    def show(self, facets: Facets | None) -> None:
        """List these counts."""
        self._facets = facets
        self._list()

    def _list(self) -> None:
        self._lines = [Facet("", "saved searches")] if self._saved else []
        self._lines += [Facet(each, each) for each in self._saved]
        self._lines += [Facet("", "shared searches")] if self._shared else []
        self._lines += [Facet(one.query.text, f"{one.name}: {one.query.text}") for one in self._shared]
        if self._facets:
            newest = "" if self._facets.exact else "newest "
            self.border_title = f"Facets of {newest}{self._facets.total:,}"
            for kind, most in KINDS.items():
                self._lines += _of_kind(kind, most, self._facets)
        self.refit()
        if self.cursor == 0 and self._lines:
            self.cursor = 1  # a heading cannot be chosen

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a heading, or a value with its bar and count."""
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
    """Return the search term for one value of a facet."""
    return f"{'submitted' if kind == 'day' else kind}:{quoted(value)}"


def narrowed(filter: str, facet: Facet) -> str:
    """Return a search with a value added, or removed if it has it; a saved search replaces it."""
    if not facet.many:
        return facet.term
    if f" {facet.term} " in f" {filter} ":
        return " ".join(f" {filter} ".replace(f" {facet.term} ", " ", 1).split(" ")).strip()
    narrow = f"({filter})" if " OR " in filter else filter
    return f"{narrow} {facet.term}".strip()
