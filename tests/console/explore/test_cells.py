"""Cells of a script, notebook files and reports: pure parts."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter, MarkdownExporter

from console.explore.cells import notebook_read, notebook_write, report
from console.explore.cells.results import CellResult, Shown, aligned
from console.explore.cells.script import HEAD, Cell, CellKind, cell_at, joined, split
from engine.common.text import Untrusted
from engine.models import Language

PYTHON, JAVASCRIPT, SHELL = Language
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LINE = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=12)
SOURCES = st.lists(LINE, min_size=1, max_size=4).map("\n".join).map(str.rstrip)
CODE = SOURCES.filter(lambda text: not any(HEAD.fullmatch(line) for line in text.split("\n")))
CELLS = st.lists(
    st.one_of(
        st.builds(Cell, CODE, st.just(CellKind.CODE)),
        st.builds(Cell, SOURCES, st.sampled_from([CellKind.MARKDOWN, CellKind.RAW])),
    ),
    max_size=5,
)
TEXTS = st.text(max_size=20).map(Untrusted)
RESULTS = st.builds(
    CellResult,
    source=st.just(""),
    stdout=TEXTS,
    stderr=TEXTS,
    number=st.integers(0, 99),
    shown=st.lists(
        st.one_of(
            st.builds(Shown, st.just("image/png"), data=st.just(PNG), final=st.booleans()),
            st.builds(Shown, st.sampled_from(["text/plain", "text/html"]), TEXTS.filter(bool),
                      final=st.booleans()),
        ),
        max_size=3,
    ).map(tuple),
)  # fmt: skip


def bare(cells: Any) -> list[tuple[str, CellKind]]:
    """Return what cells hold."""
    return [(each.source, each.kind) for each in cells]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([], ""),
        ([], "\n\n"),
        ([("x = 1", CellKind.CODE)], "x = 1\n"),
        ([("a", CellKind.CODE), ("b", CellKind.CODE)], "a\n\n# %% title\nb\n"),
        ([("", CellKind.CODE), ("", CellKind.CODE)], "# %%\n# %%\n"),
        ([("# Title\ntext", CellKind.MARKDOWN)], "#%% [markdown]\n# # Title\n# text\n"),
    ],
)
def test_a_script_has_cells(expected: list[tuple[str, CellKind]], text: str) -> None:
    """By its heads; blank text before the first is none."""
    assert expected == bare(split(text, PYTHON))


@given(CELLS, st.sampled_from(Language))
def test_cells_are_the_same_after_they_were_joined(cells: list[Cell], language: Language) -> None:
    """In every language, markdown as comments."""
    assert bare(cells) == bare(split(joined(cells, language), language))


@given(st.text(), st.sampled_from(Language))
def test_every_text_has_cells(text: str, language: Language) -> None:
    """In the order of their lines, all of them within the text."""
    places = [cell.line for cell in split(text, language)]
    assert places == sorted(set(places))
    assert all(0 <= place <= text.count("\n") + 1 for place in places)


def test_the_cell_of_a_line_is_found() -> None:
    """The head of a cell is a part of it."""
    cells = split("a\n# %%\nb\n# %%\nc", PYTHON)
    assert [0, 1, 1, 2, 2, 2] == [cell_at(cells, line) for line in (0, 1, 2, 3, 4, 99)]
    assert 0 == cell_at((), 3)


def test_results_stay_with_their_code() -> None:
    """A cell that moved keeps its result; one that was edited keeps it as stale."""
    a, b = CellResult("a", run="1"), CellResult("b", run="2")
    moved = aligned({0: a, 1: b}, split("# %%\nnew\n# %%\na\n# %%\nb", PYTHON))
    assert {1: "1", 2: "2"} == {index: each.run for index, each in moved.items()}
    edited = aligned({0: a, 1: b}, split("# %%\na2\n# %%\nb", PYTHON))
    assert [("1", True), ("2", False)] == [(each.run, each.stale) for _, each in sorted(edited.items())]
    assert {} == aligned({3: a}, ())


@given(CELLS, st.data())
def test_what_is_written_is_a_notebook_for_jupyter_and_is_read_again(
    cells: list[Cell], data: st.DataObject
) -> None:
    """`nbformat` validates it; cells and outputs are the same after reading."""
    code = [index for index, cell in enumerate(cells) if cell.kind is CellKind.CODE]
    results = {index: data.draw(RESULTS) for index in code}
    written = notebook_write.written(PYTHON, cells, results)
    nbformat.validate(nbformat.reads(written.decode(), as_version=4))
    language, again, outputs = notebook_read.read(written)
    assert (PYTHON, bare(cells)) == (language, bare(again))
    for index, result in results.items():
        found = outputs.get(index, CellResult(""))
        assert (result.stdout, result.stderr, result.shown, result.number) == (
            found.stdout, found.stderr, found.shown, found.number)  # fmt: skip


def test_jupyter_converts_what_is_written() -> None:
    """`nbconvert` makes a text and a page of it; what Jupyter writes is read."""
    cells = [Cell("# Title", CellKind.MARKDOWN), Cell("print('hi')\n1 + 1")]
    result = CellResult(cells[1].source, Untrusted("hi\n"), shown=(
        Shown("text/plain", Untrusted("2"), final=True), Shown("image/png", data=PNG)), number=3)  # fmt: skip
    notebook = nbformat.reads(notebook_write.written(PYTHON, cells, {1: result}).decode(), as_version=4)
    script, _ = MarkdownExporter().from_notebook_node(notebook)
    assert "print('hi')" in script
    body, _ = HTMLExporter().from_notebook_node(notebook)
    assert "Title" in body
    again = notebook_read.read(nbformat.writes(notebook).encode())
    assert bare(cells) == bare(again[1])
    assert ("hi\n", 3, PNG) == (again[2][1].stdout.text, again[2][1].number, again[2][1].shown[1].data)


def test_errors_of_jupyter_are_read() -> None:
    """As what was written to standard error."""
    cell = nbformat.v4.new_code_cell("1/0", outputs=[
        nbformat.v4.new_output("error", ename="E", evalue="x", traceback=["a", "b"])])  # fmt: skip
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "bash"}})
    language, _, results = notebook_read.read(nbformat.writes(notebook).encode())
    assert (SHELL, "a\nb\n", False) == (language, results[0].stderr.text, results[0].succeeded)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"a":' * 100_000,
        b'{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "cells": []}',
        b'{"nbformat": "4", "nbformat_minor": 0, "metadata": {}, "cells": []}',
        b'{"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": {}}',
        b'{"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": [{"cell_type": "x", "source": ""}]}',
    ],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_notebook_is_refused_in_words(data: bytes) -> None:
    """Never with anything but a ValueError of one short line."""
    with pytest.raises(ValueError, match=r"no notebook of version 4") as raised:
        notebook_read.read(data)
    assert len(str(raised.value)) <= 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.fixed_dictionaries({"output_type": st.sampled_from(["stream", "display_data", "error", "x"])},
                             optional={"data": st.dictionaries(st.sampled_from(
                                 ["image/png", "text/plain", "application/json"]), JSON), "text": JSON,
                                 "name": JSON}))  # fmt: skip
def test_hostile_outputs_are_read_or_refused(output: dict[str, Any]) -> None:
    """Whatever an output holds."""
    cell = {"cell_type": "code", "source": "x", "outputs": [output]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": 3}, "cells": [cell]}
    try:
        language, cells, results = notebook_read.read(json.dumps(notebook).encode())
    except ValueError:
        return
    nbformat.validate(nbformat.reads(notebook_write.written(language, cells, results).decode(), as_version=4))


class Tags(HTMLParser):
    """Collects the tags and the attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.found.append((tag, dict(attrs)))


HOSTILE = ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</pre><iframe src=//e>",
           "\u202e\x1b[2J",
           "</style><style>@import url(//e)", "'\"><svg onload=alert(1)>")  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_report_runs_and_loads_nothing(text: str) -> None:
    """Wherever a hostile text stands, no tag, no attribute and no control character comes of it."""
    held = Untrusted(text)
    table = Untrusted(json.dumps({"columns": [text], "rows": [[text, 1]]}))
    result = CellResult(text, held, held, (
        Shown("text/html", held), Shown("image/svg+xml", held), Shown("table", table), Shown("table", held),
        Shown("image/png", data=text.encode()), Shown("image/png", data=PNG)), text)  # fmt: skip
    cells = [Cell(text, CellKind.MARKDOWN, text), Cell(text, CellKind.CODE, text)]
    page = report.page(text, cells, {1: result})
    tags = Tags()
    tags.feed(page)
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "section", "pre", "div", "img",
               "table", "tr", "td", "th"}  # fmt: skip
    assert allowed >= {tag for tag, _ in tags.found}
    assert {"lang", "charset", "http-equiv", "content", "class", "alt", "src"} >= {
        name for _, attributes in tags.found for name in attributes
    }
    assert all((each.get("src") or "data:image/png;base64,").startswith("data:image/png;base64,")
               for _, each in tags.found)  # fmt: skip
    assert 1 == page.count("<style>")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page)
