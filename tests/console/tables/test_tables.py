"""Tables of a guest: read in a bounded process, paged, sorted, and shown as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.tables.formats import MOST_COLUMNS, UnreadableTable, kind_of, read
from console.tables.pages import PageRequest, page
from console.tables.reading import read_page
from console.tables.screen import TableScreen
from engine.common.errors import Problem
from engine.common.text import Untrusted
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until

PRICES = b"name,price\nb,10\na,9\nc,\nd,x\n"


@pytest.mark.parametrize(
    ("columns", "rows", "data", "kind"),
    [
        (["a", "b"], [["1", "2"]], b"a,b\n1,2\n", "csv"),
        (["a", "b"], [["1", "2"]], b"\xef\xbb\xbfa;b\r\n1;2\r\n", "csv"),
        (["a", "b"], [["1", ""]], b"a\tb\n1\n", "tsv"),
        (["a"], [["x\ny"]], b'a\n"x\ny"\n', "csv"),
        (["a"], [["\\xff"]], b"a\n\xff\n", "csv"),
        (["a", "b"], [["1", ""], ["", "[2]"]], b'{"a": 1}\n\n{"b": [2]}\n', "jsonl"),
        (["value"], [["3"]], b"3\n", "jsonl"),
        ([], [], b"", "csv"),
    ],
)
def test_each_kind_is_read(columns: list[str], rows: list[list[str]], data: bytes, kind: str) -> None:
    """Separators are found, marks of byte order are left out, short rows are filled."""
    assert (columns, rows) == read(data, kind)


@pytest.mark.parametrize(("data", "kind"), [(b"{", "jsonl"), (b"[" * 100_000, "jsonl"), (b"PAR1", "parquet")])
def test_what_cannot_be_read_is_said(data: bytes, kind: str) -> None:
    """Broken lines, endless nesting, and formats that need a library of the sandbox."""
    with pytest.raises(UnreadableTable):
        read(data, kind)


@given(st.binary(), st.sampled_from(["csv", "tsv", "jsonl"]))
def test_whatever_bytes_are_read_every_row_is_as_wide_as_the_columns(data: bytes, kind: str) -> None:
    """Any bytes are a table or are refused."""
    try:
        columns, rows = read(data, kind)
    except UnreadableTable:
        return
    assert len(columns) <= MOST_COLUMNS
    assert {len(columns)} >= {len(row) for row in rows}


def test_numbers_are_sorted_by_value_and_what_is_empty_comes_last() -> None:
    """Up and down."""
    table = read(PRICES, "csv")
    up = page(table, PageRequest(column=1)).rows
    down = page(table, PageRequest(column=1, descending=True)).rows
    assert ["a", "b", "d", "c"] == [row[0] for row in up]
    assert ["d", "b", "a", "c"] == [row[0] for row in down]


@given(st.integers(0, 30), st.integers(-5, 50), st.integers(1, 9))
def test_pages_show_every_row_once(total: int, first: int, count: int) -> None:
    """Beyond the end the last page is shown."""
    table = (["n"], [[str(number)] for number in range(total)])
    seen = [row[0] for at in range(0, total, count) for row in page(table, PageRequest(at, count)).rows]
    assert [str(number) for number in range(total)] == seen
    assert bool(total) == bool(page(table, PageRequest(first, count)).rows)


@pytest.mark.parametrize(
    ("kind", "name"), [("csv", "a/B.CSV"), ("jsonl", "x.ndjson"), ("parquet", "x.parquet"), ("", "csv")]
)
def test_the_name_says_which_kind_it_is(kind: str, name: str) -> None:
    """By its suffix, whatever its case."""
    assert kind == kind_of(name)


async def test_a_table_is_read_in_a_process_of_its_own() -> None:
    """It answers with one page, or says why not."""
    found = await read_page(PRICES, "csv", PageRequest(count=2))
    assert (("name", "price"), 4, (("b", "10"), ("a", "9"))) == (found.columns, found.total, found.rows)
    with pytest.raises(Problem, match="line 1 is not JSON"):
        await read_page(b"{", "jsonl", PageRequest())


async def test_a_table_is_paged_and_sorted_on_its_sheet() -> None:
    """Characters that would move the cursor are shown as marks."""
    lines = [f"{number},\x1b[2J{number % 7}" for number in range(450)]
    data = "\n".join(["id,week", *lines]).encode()
    async with open_console(FakeEngine()) as (app, pilot):
        app.push_screen(TableScreen(Untrusted("t.csv"), "csv", data))
        await until(pilot, lambda: "rows 1 to 200 of 450" in frame(app))
        assert "\x1b[2J" not in frame(app)
        await press(pilot, "n", "n", "n")
        await until(pilot, lambda: "rows 401 to 450 of 450" in frame(app))
        await press(pilot, "s", "s")
        await until(pilot, lambda: "id↓" in frame(app) and "449" in frame(app))
        await press(pilot, "escape")
        assert not isinstance(app.screen, TableScreen)
