"""Every row of Health is in docs/operations.md, with its cause and what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "engine"
OTHERS = ("analysis/", "cli/", "client/", "setup/")
"""Programs of their own: what they check is no row of an engine's Health."""
MAKERS = {"Check": "name", "row": ""}
"""What makes a row, and the argument that names it; empty: the first one."""
LEAST_NAMES = 20


def named() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each row, as far as its text is written there."""
    for path in sorted(ENGINE.rglob("*.py")):
        module = path.relative_to(ENGINE).as_posix()
        if module.startswith(OTHERS):
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in MAKERS and (name := _text(_name(node, MAKERS[node.func.id]), tree)):
                yield module, name


def _name(call: ast.Call, keyword: str) -> ast.expr | None:
    if not keyword:
        return call.args[0] if call.args else None
    return next((one.value for one in call.keywords if one.arg == keyword), None)


def _text(node: ast.expr | None, tree: ast.Module) -> str:
    """Return a text, or its beginning up to what varies; a name stands for what the module sets it to."""
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    if isinstance(node, ast.Name):
        set_to = (one.value for one in tree.body if isinstance(one, ast.Assign) and _sets(one, node.id))
        node = next(set_to, None)
    return node.value.strip() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _sets(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)


def documented() -> dict[str, list[str]]:
    """Return the names of the first column, and the other columns of their rows."""
    text = (ROOT / "docs" / "operations.md").read_text()
    table = text.partition("## Rows of Health")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {name: rest for first, *rest in rows for name in re.findall(r"`([^`]+)`", first)}


ROWS = sorted(set(named()))


def test_the_rows_are_found() -> None:
    """The engine has many of them."""
    assert len(ROWS) >= LEAST_NAMES


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_a_row_of_health_is_documented(module: str, name: str) -> None:
    """Its line says when it is red, and what to do then."""
    line = next((rest for known, rest in documented().items() if _is(known, name)), [])
    assert 2 == len(line), f"{name} ({module}) is not in docs/operations.md"
    assert all(part.strip() for part in line)


def _is(known: str, name: str) -> bool:
    """Return whether a name in the table, which may end in what varies, is this one."""
    beginning = re.sub(r"(…|NAME)$", "", known)
    return known == name or (beginning != known and name.startswith(beginning.strip()))
