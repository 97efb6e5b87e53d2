"""Names, signatures and documentation in the editor of Explore."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.explore.names.candidates import at_cursor, called, candidates
from console.explore.names.catalogue import NameCatalogue
from console.explore.names.popup import NamePopup
from engine.common.text import Untrusted
from engine.models import Language
from engine.models.code_names import CodeNames
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import NAMES, FakeEngine
from tests.console.support.harness import frame, open_console, press, until

TABLE = """builtins\tmodule\t\t
builtins.print\tfunction\t(*args, sep=' ')\tPrints the values to a stream.
builtins.str\tclass\t(object='')\t
builtins.str.join\tfunction\t(self, iterable, /)\tConcatenate strings.
builtins.open\tfunction\t(file)\t
io.TextIOWrapper\tclass\t(buffer)\t
io.TextIOWrapper.readlines\tfunction\t(self)\t
json\tmodule\t\tJSON.
json.dumps\tfunction\t(obj, *, indent=None)\tSerialize.
json.decoder\tmodule\t\t
pandas\tmodule\t\t
pandas.DataFrame\tclass\t(data=None)\t
pandas.DataFrame.groupby\tfunction\t(self, by)\t
pandas.read_csv\tfunction\t(path) -> 'DataFrame | TextFileReader'\tRead."""
NODE = """fs\tmodule\t\t
fs.readFileSync\tfunction\t(path, options)\t
console\tvalue\t\t
console.log\tfunction\t(...args)\t
Array\tclass\t\t
Array.prototype.map\tfunction\t\t
crypto\tvalue\t\t
crypto\tmodule\t\t"""


def catalogue(language: Language = Language.PYTHON) -> NameCatalogue:
    """Return the names of an image."""
    table = {
        Language.PYTHON: TABLE,
        Language.JAVASCRIPT: NODE,
        Language.SHELL: "grep\tfunction\t\t\nls\tfunction\t\t",
    }
    return NameCatalogue(CodeNames(image="i", digest="d", table=Untrusted(table[language])), language)


@pytest.mark.parametrize(
    ("expected", "code", "before"),
    [
        (["dumps"], "import json", "json.du"),
        (["dumps"], "import json as j", "x = f(j.du"),
        (["dumps"], "from json import dumps", "du"),
        ([], "", "json.du"),
        (["json"], "", "import js"),
        (["decoder"], "", "import json."),
        (["decoder", "dumps"], "", "from json import d"),
        (["dumps"], "", "from json import decoder, du"),
        (["print"], "", "pri"),
        ([], "", "# pri"),
        ([], "", "p"),
        (["join"], "", "', '.jo"),
        (["join"], "words = 'a'", "words.jo"),
        (["groupby"], "import pandas as pd\ndf = pd.read_csv('x')", "df.gr"),
        (["groupby"], "import pandas as pd\ndf = pd.DataFrame()", "df.gr"),
        (["readlines"], "with open('x') as file:", "file.r"),
    ],
)
def test_names_that_fit_are_listed(expected: list[str], code: str, before: str) -> None:
    """By imports, assignments and what the image says of results."""
    assert expected == [each.word for each in candidates(f"{code}\n", before, catalogue()).names]


@pytest.mark.parametrize(
    ("expected", "code", "before"),
    [
        (["readFileSync"], "const fs = require('node:fs')", "fs.read"),
        (["readFileSync"], "import { readFileSync } from 'fs'", "read"),
        (["log"], "", "console.l"),
        (["map"], "const xs = [1]", "xs.m"),
        (["crypto"], "", "require('cry"),
    ],
)
def test_names_of_node_are_listed(expected: list[str], code: str, before: str) -> None:
    """A module and a global value of one name are kept apart."""
    found = candidates(f"{code}\n", before, catalogue(Language.JAVASCRIPT)).names
    assert expected == [each.word for each in found]


def test_commands_are_listed_where_a_command_begins() -> None:
    """After a pipe as well, and not as an argument."""
    names = catalogue(Language.SHELL)
    assert ["grep"] == [each.word for each in candidates("", "ls | gr", names).names]
    assert () == candidates("", "ls gr", names).names


def test_the_call_around_the_cursor_is_known() -> None:
    """With the number of the argument; what is complete is no call any more."""
    call = called("import json\n", "json.dumps([1, 2], ", catalogue())
    assert call is not None
    assert ("json.dumps", 1) == (call.name.name, call.argument)
    assert called("import json\n", "json.dumps(1)", catalogue()) is None


def test_the_name_at_the_cursor_is_known() -> None:
    """From anywhere inside it."""
    name = at_cursor("import json\n", "x = json.dumps(1)", 11, catalogue())
    assert name is not None
    assert "json.dumps" == name.name


@given(st.text(), st.text(max_size=60), st.sampled_from(Language))
def test_hostile_code_is_no_error(code: str, before: str, language: Language) -> None:
    """Whatever stands in the editor, there is an answer."""
    names = catalogue(language)
    assert called(code, before, names) is None or before
    assert all(
        each.word.startswith(("_", "$")) or each.word for each in candidates(code, before, names).names
    )


async def test_tab_takes_the_chosen_name_and_the_call_is_shown() -> None:
    """Down chooses another; one undo takes it back; escape closes the list, not the editor."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        popup = app.screen.query_one(NamePopup)
        await press(pilot, *"import json", "enter", *"json.")
        await until(pilot, lambda: popup.lists)
        assert {line.split("\t")[0] for line in NAMES.splitlines()} >= {"json.dump", "json.dumps"}
        await press(pilot, "down", "tab")
        await until(pilot, lambda: editor.text == "import json\njson.dumps")
        await press(pilot, "(")
        await until(pilot, lambda: popup.display and "indent=None" in frame(app))
        await press(pilot, "escape")
        await until(pilot, lambda: not popup.display)
        assert app.focused is editor
        await press(pilot, "alt+d")
        await until(pilot, lambda: "Serialize an object" in frame(app))


async def test_enter_is_a_new_line_unless_a_name_was_chosen() -> None:
    """A list that opens by itself takes no line from anybody."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        popup = app.screen.query_one(NamePopup)
        await press(pilot, *"pri")
        await until(pilot, lambda: popup.lists)
        await press(pilot, "enter")
        await until(pilot, lambda: editor.text == "pri\n")
        assert not popup.display
