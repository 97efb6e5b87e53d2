"""One cell on screen: how it ended, its code, and below it what it gave."""

from __future__ import annotations

import re

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from console.app.textual_patches import paint_at_once, update_height
from console.explore.cells.results import PICTURE, TABLE, CellResult, Shown, begins_to_write
from console.explore.cells.script import Cell, CellKind
from console.pictures.tables import table
from console.run.picture import PictureView
from console.safety.text import Part, clip, content, paragraphs
from console.theming.highlight import highlight
from console.widgets.formatting import lasted, size
from engine.common.text import Untrusted, many
from engine.models import Language

MOST_LINES = 40
"""Lines of code or of one output that are shown; the editor and the run have all of them."""
MOST_TABLE = 22
"""Lines of a table that are shown, with its heads and the line below them; the run has all of it."""
MOST_WIDTH = 400
MOST_PICTURES = 4
PICTURE_LINES = 14
CONTROL = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
"""Colours and movements, which are not shown here."""


class CellBox(Vertical):
    """Shows a cell and its result."""

    DEFAULT_CSS = f"""
    CellBox {{ height: auto; margin: 0 0 1 0; padding: 0 1; border-left: outer $line; }}
    CellBox.-chosen {{ border-left: outer $primary; }}
    CellBox Static {{ height: auto; }}
    CellBox .head {{ height: 1; text-wrap: nowrap; text-overflow: ellipsis; }}
    CellBox .code {{ background: $surface; padding: 0 1; }}
    CellBox .output {{ padding: 0 1; display: none; }}
    CellBox.-said .output {{ display: block; }}
    CellBox PictureView {{ height: {PICTURE_LINES}; margin: 0 1; }}
    """

    def __init__(self, cell: Cell, number: int, language: Language) -> None:
        super().__init__()
        self._cell = cell
        self._number = number
        self._language = language
        self._pictures: tuple[bytes, ...] = ()
        self._said = content()
        self.result: CellResult | None = None
        """What is shown below the code."""

    def compose(self) -> ComposeResult:
        """Lay out head, code and output."""
        yield Static(self._head(None), classes="head")
        yield Static(coloured(self._cell, self._language), classes="code")
        yield Static(classes="output")

    def show_cell(self, cell: Cell, language: Language) -> None:
        """Show another cell in this place; what it gave is shown next."""
        if (cell, language) != (self._cell, self._language):
            self._cell, self._language = cell, language
            self.query_one(".head", Static).update(self._head(self.result), layout=False)
            update_height(self.query_one(".code", Static), coloured(cell, language))

    async def show(self, result: CellResult | None) -> None:
        """Show what the cell gave."""
        begins, self.result = begins_to_write(self.result, result), result
        self.query_one(".head", Static).update(self._head(result), layout=False)
        self._show_output(paragraphs(*(_output(result) if result else [])))
        if begins:
            paint_at_once(self.query_one(".output", Static))
        pictures = tuple(each.data for each in result.shown if each.mime == PICTURE) if result else ()
        if pictures[:MOST_PICTURES] != self._pictures:
            self._pictures = pictures[:MOST_PICTURES]
            await self._show_pictures()

    def _show_output(self, words: Content) -> None:
        if not words.is_same(self._said):
            self._said = words
            self.set_class(bool(words), "-said")
            update_height(self.query_one(".output", Static), words)

    async def _show_pictures(self) -> None:
        await self.query(PictureView).remove()
        views = [PictureView() for _ in self._pictures]
        await self.mount(*views)
        for view, data in zip(views, self._pictures, strict=True):
            view.show(data)

    def _head(self, result: CellResult | None) -> Content:
        name: Part = (f"{self._number} ", "bold primary")
        title: list[Part] = [name, (Untrusted(self._cell.title), "bold"), " "]
        if self._cell.kind is not CellKind.CODE:
            return content(*title, (self._cell.kind.value, "faint"))
        if result is None:
            return content(*title, (" not run yet", "faint"))
        style = "muted" if result.succeeded else "bold error"
        parts: list[Part] = [*title, (f"[{result.number or ' '}] ", "muted"), (result.status, style)]
        if result.seconds is not None:
            parts.append((f"  {lasted(result.seconds)}, peak {size(result.memory)}", "muted"))
        return content(*parts, ("  edited since" if result.stale else "", "warning"))


def coloured(cell: Cell, language: Language) -> Content:
    """Return the code of a cell with its colours, the first lines of it."""
    lines = cell.source.split("\n")
    tokens = highlight("\n".join(lines[:MOST_LINES]), language if cell.kind is CellKind.CODE else "")
    shown = [_parts(line, row) for line, row in zip(lines[:MOST_LINES], tokens, strict=False)]
    if len(lines) > MOST_LINES:
        shown.append([_more(len(lines) - MOST_LINES)])
    return paragraphs(*shown)


def _parts(line: str, tokens: list[tuple[int, int, str]]) -> list[Part]:
    line, parts, at = line.expandtabs(4) if not tokens else line, list[Part](), 0
    for start, end, style in tokens:
        parts += [_piece(line[at:start]), (_piece(line[start:end]), style)]
        at = end
    return [*parts, _piece(line[at:])]


def _piece(text: str) -> Untrusted:
    return Untrusted(text.replace("\t", "    ")[:MOST_WIDTH])


def _more(count: int) -> Part:
    return (f"… {many(count, 'more line')}", "faint")


def _output(result: CellResult) -> list[list[Part]]:
    if result.running and not result.wrote:
        return [[("…", "faint")]]
    lines = _text(result.stdout, "foreground") + _text(result.stderr, "error")
    for shown in result.shown:
        lines += _shown(shown)
    return lines


def _shown(shown: Shown) -> list[list[Part]]:
    if shown.mime == PICTURE:
        return []
    drawn = table(shown.text) if shown.mime == TABLE else None
    if drawn is not None:
        return _beginning(drawn)
    about: list[list[Part]] = [] if shown.mime == "text/plain" else [[(f"{shown.mime}, as text:", "faint")]]
    return about + _text(shown.text, "foreground")


def _beginning(table: str) -> list[list[Part]]:
    """Return the first lines of a table: those below are meaningless without its heads."""
    lines = table.split("\n")
    shown: list[list[Part]] = [
        [(clip(Untrusted(line), MOST_WIDTH), "foreground")] for line in lines[:MOST_TABLE]
    ]
    hidden = len(lines) - MOST_TABLE
    return [*shown, [(f"… {many(hidden, 'more row')}", "faint")]] if hidden > 0 else shown


def _text(text: Untrusted, style: str) -> list[list[Part]]:
    """Return the last lines of a text: what came last says how it ended."""
    lines = CONTROL.sub("", text.text).rstrip("\n").split("\n") if text else []
    shown: list[list[Part]] = [
        [(clip(Untrusted(line.expandtabs(8)), MOST_WIDTH), style)] for line in lines[-MOST_LINES:]
    ]
    hidden = len(lines) - MOST_LINES
    return [[(f"… {many(hidden, 'earlier line')}", "faint")], *shown] if hidden > 0 else shown
