"""No text reaches a widget but through `console.safety.text`: the sources are read, and refused otherwise."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CONSOLE = Path(__file__).parents[3] / "console"
SOURCES = sorted(path for path in CONSOLE.rglob("*.py") if "_shipped" not in path.parts)
SHOWING = {
    "Static",
    "Label",
    "Button",
    "Content",
    "Text",
    "Markdown",
    "Option",
    "Collapsible",
    "Log",
    "RichLog",
}
FORBIDDEN_NAMES = {"from_markup", "DataTable", "RichLog", "Log", "Markdown"}


def offences(tree: ast.AST) -> list[str]:
    """Return what in a module goes past the door."""
    return [found for node in ast.walk(tree) for found in _offence(node)]


def _offence(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Attribute | ast.Name):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        return [f"line {node.lineno}: {name}"] if name in FORBIDDEN_NAMES else []
    if not isinstance(node, ast.Call):
        return []
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    found = [f"line {node.lineno}: markup=True" for each in node.keywords if _asks_for_markup(each)]
    texts = [*node.args, *(each.value for each in node.keywords)]
    if name in SHOWING or name == "update":
        found += [f"line {node.lineno}: {name}(text)" for each in texts if _is_text(each)]
    return found


def _asks_for_markup(keyword: ast.keyword) -> bool:
    return keyword.arg == "markup" and isinstance(keyword.value, ast.Constant) and bool(keyword.value.value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format"
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CONSOLE)))
def test_nothing_goes_past_the_door(path: Path) -> None:
    """No module parses markup, uses a widget that leaks, or builds a widget from a formatted string."""
    assert [] == offences(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "Static(f'{name}')",
        "label.update(f'[b]{name}[/b]')",
        "Content.from_markup(name)",
        "Static('x', markup=True)",
        "DataTable()",
        "Label('{}'.format(name))",
    ],
)
def test_the_reader_of_sources_finds_what_it_is_for(source: str) -> None:
    """Each way past the door is found."""
    assert 1 == len(offences(ast.parse(source)))


def test_only_the_engines_client_and_nouns_are_imported() -> None:
    """The console knows the engine by its client, its nouns, its texts and its places."""
    allowed = {"engine", "engine.locations", "engine.models", "engine.client.connect", "engine.client.client",
               "engine.client.sessions", "engine.common.errors", "engine.common.text",
               "engine.common.presentation", "engine.common.review_coverage"}  # fmt: skip
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine"):
                assert node.module in allowed, path
