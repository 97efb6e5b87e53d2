"""Every promise of docs/SPECIFICATION.md names tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<id>[A-Z]+-\d+) \| (?P<promise>.+?) \| (?P<tests>[^|]*) \|$")
PAGE = (ROOT / "docs" / "SPECIFICATION.md").read_text().splitlines()
ROWS = [row for row in map(ROW.match, PAGE) if row]


@cache
def names(path: Path) -> frozenset[str]:
    """Return the functions and methods that a module defines."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def exists(test: str) -> bool:
    """Tell whether `path` or `path::test_name` names a module with tests, or a test in it."""
    path, _, name = test.partition("::")
    module = ROOT / path
    if not (module.is_file() and path.startswith("tests/")):
        return False
    found = {known for known in names(module) if known.startswith("test_")}
    return name in found if name else bool(found)


def test_the_page_has_promises() -> None:
    assert ROWS


def test_every_row_of_a_table_is_a_promise() -> None:
    other = ("| id |", "|---")
    assert [
        line for line in PAGE if line.startswith("|") and not line.startswith(other) and not ROW.match(line)
    ] == []


def test_an_id_is_used_once() -> None:
    assert [found for found, count in Counter(row["id"] for row in ROWS).items() if count > 1] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_promise_names_only_existing_tests(row: re.Match[str]) -> None:
    tests = [test.strip().strip("`") for test in row["tests"].split(",")]
    assert [test for test in tests if not exists(test)] == []


@pytest.mark.parametrize(
    "test",
    [
        "",
        "docs/api.md",
        "tests/no_such.py",
        "tests/structure/structure.py",
        "tests/structure/test_specification.py::no",
    ],
)
def test_what_is_no_test_is_not_accepted(test: str) -> None:
    assert exists(test) is False
