"""Text reaches widgets only through `console.safety.text`: checked on the sources of the console."""

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
    """Return what in a module displays text without the functions for safe text."""
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
def test_no_module_displays_unsafe_text(path: Path) -> None:
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
def test_every_way_to_display_unsafe_text_is_found(source: str) -> None:
    """Each source is one offence."""
    assert 1 == len(offences(ast.parse(source)))


HELPERS = (
    "effects.effect_lines", "errors", "file_faults", "hosts", "level_reason", "line_text", "local_files",
    "presentation", "queue_order", "rehearsal_lines", "review_coverage", "snapshot_lines", "strict_yaml",
    "text", "unicode.repertoire",
)  # fmt: skip
"""Modules of `engine.common` that the console may use."""
QUERIES = (
    "engine.history.exports.tables", "engine.history.search.pivots", "engine.history.search.query.complete",
    "engine.history.search.sentences",
)  # fmt: skip
"""The query language and the exports of the history: pure texts."""


def test_only_the_client_models_and_helpers_of_the_engine_are_imported() -> None:
    """The console imports the engine's client, models, locations and shared helpers, nothing else of it."""
    allowed = {"engine", "engine.locations", "engine.models", "engine.models.comments",
               "engine.models.code_names", "engine.models.history", "engine.models.lines",
               "engine.models.observed", "engine.models.rehearsal", "engine.models.snapshot",
               "engine.models.incident", "engine.models.response", "engine.models.shared_query",
               "engine.models.past_decisions", "engine.models.erasing.erasure", "engine.models.rescan",
               "engine.client.brake", "engine.client.client", "engine.client.incidents",
               "engine.client.connect", "engine.client.sessions", "engine.hooks.quick",
               *(f"engine.common.{name}" for name in HELPERS), *QUERIES}  # fmt: skip
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine"):
                assert node.module in allowed, path
