"""Errors lead to their line: tracebacks as the sandboxes' interpreters print them, and made-up ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.explore.editing.error_message import is_below
from console.explore.error_lines import run_error
from console.run.output_log import OutputLog
from console.theming.styles import style_of
from engine.common.text import Untrusted
from engine.models import Language, Stream
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine, chunk
from tests.console.support.harness import open_console, press, until

PYTHON = """
Traceback (most recent call last):
  File "main.py", line 4, in <module>
    f(0)
    ~^^^
  File "/usr/lib/python3.13/json.py", line 1, in g
  File "main.py", line 3, in f
    return 1 / a
           ~~^~~
ZeroDivisionError: division by zero
"""
CHAINED = """
Traceback (most recent call last):
  File "main.py", line 2, in <module>
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "main.py", line 4, in <module>
ValueError: second
"""
SYNTAX = """
  File "main.py", line 1
    x = (
        ^
SyntaxError: '(' was never closed
"""
SESSION = """
before
Cell In[3], line 11
      9 def inner(x):
---> 11 inner(0)

Cell In[2], line 1, in outer(x)
----> 1 outer = lambda x: inner(x)

Cell In[3], line 10, in inner(x)
---> 10     return 1 / x

ZeroDivisionError: division by zero
"""
NODE = """
/workspace/main.js:2
function f(a) { return a.b.c }
                           ^

TypeError: Cannot read properties of undefined (reading 'c')
    at f (/workspace/main.js:2:28)
    at Object.<anonymous> (/workspace/main.js:3:1)
    at Module._compile (node:internal/modules/cjs/loader:1529:14)

Node.js v20.19.2
"""
SHELL = "before\nenvironment: line 3: nosuchcmd: command not found\n"


@pytest.mark.parametrize(
    ("language", "output", "message", "lines"),
    [
        (Language.PYTHON, PYTHON, "ZeroDivisionError: division by zero", (3, 4)),
        (Language.PYTHON, CHAINED, "ValueError: second", (4,)),
        (Language.PYTHON, SESSION.replace("11", "4"), "ZeroDivisionError: division by zero", (10, 4)),
        (Language.PYTHON, SYNTAX, "SyntaxError: '(' was never closed", (1,)),
        (Language.JAVASCRIPT, NODE, "TypeError: Cannot read properties of undefined (reading 'c')", (2, 3)),
        (Language.SHELL, SHELL, "nosuchcmd: command not found", (3,)),
    ],
)
def test_the_message_and_the_lines_are_found(
    language: Language, output: str, message: str, lines: tuple[int, ...]
) -> None:
    """The innermost line first, and none of other files."""
    found = run_error(output.split("\n"), language, 10)
    assert found is not None
    assert (message, lines) == (found.message.text, found.lines)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("output", ["", "fine\n", 'File "other.py", line 3\n', "main.js:3\n"])
def test_output_without_an_error_names_no_line(language: Language, output: str) -> None:
    """Nothing is marked."""
    assert run_error(output.split("\n"), language, 10) is None


@pytest.mark.parametrize("line", ["0", "11", "9999999", "99999999999999999999"])
def test_a_line_that_the_code_does_not_have_is_left_out(line: str) -> None:
    """A guest may print any number."""
    assert run_error([f'  File "main.py", line {line}', "E: x"], Language.PYTHON, 10) is None


@given(
    st.lists(st.text(max_size=200) | st.sampled_from((PYTHON + NODE + SHELL).split("\n"))),
    st.sampled_from(Language),
)
def test_any_output_is_read(output: list[str], language: Language) -> None:
    """Whatever a guest prints, only lines of the code come out."""
    found = run_error(output, language, 3)
    assert found is None or set(found.lines) <= {1, 2, 3}


@pytest.mark.parametrize("line", ["x = 1", "a\u200bb\u200b\u200b = 1", "漢字 = 1", "\tx"])
async def test_the_message_stands_behind_the_whole_line(line: str) -> None:
    """However many characters of the line are invisible or wide."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = f"{line}\n"
        before = editor.render_line(0).text.rstrip()
        editor.mark_error(0, Untrusted("ValueError: \x1b[31m no"))
        shown = editor.render_line(0).text.rstrip()
        signed = before.replace("1 ", "1!", 1)
        assert f"{signed}  ValueError: ␛[31m no" == shown


async def test_the_message_and_the_sign_have_the_background_of_the_editor() -> None:
    """The terminal's own would be a patch in every theme that has another one."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "x = 1\n"
        editor.mark_error(0, Untrusted("ValueError: no"))
        own = style_of(editor, "on background").bgcolor
        drawn = [each for each in editor.render_line(0) if "!" in each.text or "ValueError" in each.text]
        assert [own, own] == [each.style.bgcolor for each in drawn if each.style]


async def test_a_long_line_keeps_its_end() -> None:
    """There is no room for the message, which stands in the row below."""
    async with open_console(FakeEngine(), size=(80, 24)) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "x" * 300
        before = editor.render_line(0).text
        editor.mark_error(0, Untrusted("ValueError: no"))
        assert before.replace("1 ", "1!", 1) == editor.render_line(0).text
        assert "↑ ValueError: no" == editor.render_line(1).text.strip()


async def test_a_message_stands_where_more_of_it_is_shown() -> None:
    """Behind its line where that has room for all of it, or more room than the one below."""
    assert (False, True, False) == tuple(
        is_below(Untrusted("ValueError: no"), *room) for room in ((14, 60), (13, 16), (13, 15))
    )


async def test_a_click_on_a_traceback_goes_to_the_line_that_it_names() -> None:
    """On any of its frames that are of the code."""
    engine = FakeEngine()
    engine.exit_code = 1
    engine.written = {"s-0": [chunk(PYTHON, Stream.STDERR)]}
    async with open_console(engine) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "x = 1\ndef f(a):\n    return 1 / a\nf(0)\n"
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: 2 == editor.error_line)
        log = app.screen.query_one(OutputLog)
        for line, frame in (
            (2, '  File "main.py", line 3, in f'),
            (3, '  File "main.py", line 4, in <module>'),
        ):
            log.scroll_to(y=log.lines().index(frame), animate=False)
            await pilot.pause()
            await pilot.click(OutputLog, offset=(6, log.lines().index(frame) - int(log.scroll_offset.y)))
            await until(pilot, lambda line=line: line == editor.cursor_location[0])  # type: ignore[misc]


async def test_a_failing_line_is_marked_and_one_key_away() -> None:
    """The status names it, F8 goes to it and on to its caller; typing removes the mark."""
    engine = FakeEngine()
    engine.exit_code = 1
    engine.written = {"s-0": [chunk(PYTHON, Stream.STDERR)]}
    async with open_console(engine) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.text = "x = 1\ndef f(a):\n    return 1 / a\nf(0)\n"
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "line 3: ZeroDivisionError" in plain(app))
        assert 2 == editor.error_line
        for line in (2, 3, 2):
            await press(pilot, "f8")
            await until(pilot, lambda line=line: line == editor.cursor_location[0])  # type: ignore[misc]
        await press(pilot, "x")
        await until(pilot, lambda: editor.error_line is None)


async def test_what_the_program_printed_is_no_message() -> None:
    """A program that ends writes what it printed after the traceback."""
    engine = FakeEngine()
    engine.exit_code = 1
    engine.written = {"s-0": [chunk(PYTHON, Stream.STDERR), chunk("orders: 2\n", offset=len(PYTHON))]}
    async with open_console(engine) as (app, pilot):
        (await open_editor(app, pilot)).text = "x = 1\ndef f(a):\n    return 1 / a\nf(0)\n"
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "line 3: ZeroDivisionError" in plain(app) and "orders: 2" in plain(app))
