"""What a sandbox says about the names in its image."""

from __future__ import annotations

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.core.code_names.answer import MOST_TEXT, checked_table
from engine.models import Language
from tests.engine_process import EngineProcess

GOOD = "json.dumps\tfunction\t(obj)\tSerialize."


@pytest.mark.parametrize(
    "line",
    [
        "",
        "json.dumps",
        "a\tb\tc\td",
        "a b\tvalue\t\t",
        "\x1b[31m\tvalue\t\t",
        "a\tvalue\t\t\tmore",
        ".." + "\tvalue\t\t",
    ],
)
def test_what_is_no_name_is_left_out(line: str) -> None:
    """Neither another number of fields, nor another kind, nor a name that nobody can write."""
    assert GOOD == checked_table(f"{GOOD}\n{line}\n{GOOD}\n".encode())


def test_texts_are_bounded_and_a_half_line_is_left_out() -> None:
    """An answer that was cut off ends with its last whole line."""
    long = "x\tvalue\t\t" + "y" * 1000
    table = checked_table(f"{long}\n{GOOD[:-3]}".encode())
    assert "x\tvalue\t\t" + "y" * MOST_TEXT == table


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (Language.PYTHON, "json.dumps\tfunction\t(obj, *, skipkeys=False"),
        (Language.PYTHON, "numpy.zeros\tfunction\t(shape, dtype=float"),
        (Language.PYTHON, "pandas.DataFrame.merge\tfunction\t(self, right"),
        (Language.JAVASCRIPT, "fs.readFileSync\tfunction\t(path, options)\t"),
        (Language.SHELL, "grep\tfunction\t\t"),
    ],
)
async def test_a_sandbox_says_the_names_of_its_image(
    client: Client, engine: EngineProcess, language: Language, expected: str
) -> None:
    """With their signatures; the answer is kept by the digest of the image."""
    names = await client.code_names(language)
    assert f"\n{expected}" in names.table.text
    assert names == await client.code_names(language)
    kept = [path.read_text() for path in (engine.home / "code-names").glob("*.json")]
    assert any(names.digest in each for each in kept)


@pytest.mark.sandbox
async def test_an_image_that_is_not_there_is_named(client: Client) -> None:
    """The answer says which one."""
    with pytest.raises(Problem, match="no-such-image"):
        await client.code_names(Language.PYTHON, "no-such-image")
