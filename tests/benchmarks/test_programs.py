"""The programs that benchmarks start: what they import is there, and every name in them is known."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def programs() -> Iterator[tuple[str, ast.Module]]:
    """Yield each text in a benchmark that is a program with imports of this project."""
    for file in sorted(_HERE.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\nfrom " in node.value:
                try:
                    yield f"{file.name}:{node.lineno}", ast.parse(node.value)
                except SyntaxError:
                    continue


PROGRAMS = dict(programs())


def test_there_are_programs() -> None:
    """The search finds those of the console."""
    assert {"bench_console.py", "bench_history.py"} <= {name.partition(":")[0] for name in PROGRAMS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_imports_is_there(name: str) -> None:
    """A renamed class or module breaks no benchmark unnoticed."""
    for node in ast.walk(PROGRAMS[name]):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = importlib.import_module(node.module)
            assert [] == [one.name for one in node.names if not hasattr(module, one.name)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_name_in_a_program_is_known(name: str) -> None:
    """It is built in, imported, defined, assigned or a parameter somewhere in it."""
    known, used = set(dir(builtins)), set[str]()
    for node in ast.walk(PROGRAMS[name]):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else known).add(node.id)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            known.add(node.name)
    assert set() == used - known
