"""The view of what a run writes: bounded, resumable, searchable, wrapped, saved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from console.run.output import OutputLines, after
from console.run.output_log import OutputLog
from console.run.output_rows import OutputRows
from console.run.saving import save_output
from console.run.terminal import folded, segments
from console.run.usage import UsageHistory
from console.widgets.painting import highlighted
from engine.common.errors import Problem
from engine.models import Meters, OutputChunk, Stream
from tests.console.app.test_screens import running
from tests.console.support.fake_engine import FakeEngine, chunk
from tests.console.support.harness import frame, open_console, press, until

TEXT = st.text(st.sampled_from("ab 漢\u0301\t\x1b[31m\r"), max_size=60)
LONG = "y" * 300


def lines(*texts: str) -> OutputLines:
    """Return lines that were written one after the other."""
    taken = OutputLines()
    taken.take(chunk(text) for text in texts)
    return taken


@given(TEXT, st.integers(4, 20))
def test_a_wrapped_line_loses_nothing(line: str, width: int) -> None:
    """Its rows put together are the line, and none is wider than the screen."""
    drawn = segments(line, Style.null())
    rows = folded(drawn, width)
    assert text(drawn) == "".join(text(row) for row in rows)
    assert all(cell_len(text(row)) <= width for row in rows)


@given(st.lists(TEXT, max_size=8), st.integers(4, 20))
def test_every_row_belongs_to_one_line(texts: list[str], width: int) -> None:
    """Rows are numbered without a gap, and the first row of a line is found by its number."""
    taken = lines(*(text + "\n" for text in texts))
    rows = OutputRows(taken, width)
    places = [rows.at(row) for row in range(rows.total)]
    assert sorted(set(places)) == places
    assert [rows.row_of(number) for number in range(taken.end)] == [
        index for index, (_, part) in enumerate(places) if not part
    ]


@given(st.binary(max_size=40), st.integers(0, 50), st.integers(0, 50))
def test_output_is_resumed_where_it_broke_off(data: bytes, start: int, offset: int) -> None:
    """Of a chunk that overlaps what is known, exactly the rest is taken."""
    rest = after(OutputChunk(stream=Stream.STDOUT, at=0, offset=start, data=data), offset)
    known = max(0, offset - start)
    assert data[known:] == (rest.data if rest else b"")
    assert rest is None or rest.offset == max(start, offset)


def test_a_search_is_marked_across_colours() -> None:
    """What is found is marked although a colour changes within it, and the text stays as it was."""
    line = segments("ab\x1b[31mcd\x1b[0mef", Style.null())
    marked = highlighted(line, re.compile("bcde"), Style(bold=True))
    assert "abcdef" == text(marked)
    assert "bcde" == "".join(each.text for each in marked if each.style and each.style.bold)


def test_a_line_is_erased_as_a_terminal_would() -> None:
    """A progress bar that clears its line leaves nothing of what was longer."""
    assert "ok" == text(segments("downloading 99%\r\x1b[Kok", Style.null()))
    assert "ok" == text(segments("downloading\x1b[2K\rok", Style.null())).rstrip()


def test_the_busiest_sample_of_a_second_is_kept() -> None:
    """A minute is sixty points, however many samples came."""
    usage = UsageHistory()
    for number in range(1000):
        usage.take(Meters(at=number / 10, cpu=number % 10 / 10, memory=0, memory_peak=0, processes=1))
    assert 60 * "█" == usage.past(lambda at: at.cpu / 0.9, 80)


async def test_long_lines_are_cut_with_a_sign_or_wrapped() -> None:
    """w shows the whole line; until then a sign says that it goes on."""
    engine = FakeEngine(running("s-1"))
    engine.written["s-1"] = [chunk(LONG + "\n")]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "›" in frame(app))
        await press(pilot, "w")
        await until(pilot, lambda: frame(app).count("y") >= len(LONG) and "›" not in frame(app))


async def test_output_is_searched() -> None:
    """The last place is gone to first, the others with comma and full stop; what was paused stays there."""
    engine = FakeEngine(running("s-1"))
    engine.written["s-1"] = [chunk("".join(f"line {number}\n" for number in range(500)))]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        log = app.screen.query_one(OutputLog)
        await until(pilot, lambda: len(log.lines()) == 500)
        await press(pilot, "slash", *"line 7", "enter")
        await until(pilot, lambda: "11 of 11 matches" in frame(app))
        await press(pilot, *["comma"] * 2)
        await until(pilot, lambda: "9 of 11 matches" in frame(app) and "not following" in frame(app))


async def test_a_paused_view_stays_on_its_lines_while_more_comes() -> None:
    """Lines that arrive, and old ones that go, do not move what is read; f goes to the end again."""
    async with open_console(FakeEngine(running("s-1"))) as (app, pilot):
        await press(pilot, "2")
        log = app.screen.query_one(OutputLog)
        log.add(chunk("".join(f"old {number}\n" for number in range(49_990))))
        await until(pilot, lambda: "old 49989" in frame(app))
        await press(pilot, "f")
        log.add(chunk("".join(f"new {number}\n" for number in range(500))))
        await until(pilot, lambda: log.dropped == 490)
        await pilot.pause()
        assert "old 49989" in frame(app)
        await press(pilot, "f")
        await until(pilot, lambda: "new 499" in frame(app))


async def test_output_goes_on_after_the_engine_was_lost() -> None:
    """What was shown is not shown twice, and what was written meanwhile follows."""
    engine = FakeEngine(running("s-1"))
    engine.written["s-1"] = [chunk("before\n")]
    engine.hold.add("s-1")
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        log = app.screen.query_one(OutputLog)
        await until(pilot, lambda: log.lines() == ["before"])
        engine.lost.set()
        await until(pilot, lambda: "engine offline: output" in frame(app))
        engine.written["s-1"].append(chunk("after\n"))
        engine.hold.clear()
        engine.lost.clear()
        await until(pilot, lambda: log.lines() == ["before", "after"])


async def test_the_whole_output_is_saved(tmp_path: Path) -> None:
    """Byte for byte, for the owner alone, and never over a file that is there."""
    engine = FakeEngine(running("s-1"))
    engine.written["s-1"] = [chunk(b"\x1b[2J\xff"), chunk("err", Stream.STDERR)]
    path = tmp_path / "out.log"
    assert 8 == await save_output(engine, "s-1", str(path))  # type: ignore[arg-type]
    assert (b"\x1b[2J\xfferr", 0o600) == (path.read_bytes(), path.stat().st_mode & 0o777)
    with pytest.raises(Problem, match="already exists"):
        await save_output(engine, "s-1", str(path))  # type: ignore[arg-type]


def text(line: list[Segment]) -> str:
    """Return what is shown of a line."""
    return "".join(segment.text for segment in line)
