"""Syntax of Python 3.12 to 3.14 is read, and its constructs keep their places."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.analysis.python.parse.py312_compat import older
from engine.models import Language

_NEWER = [
    "class Stack[T]:\n    def push[U: int](self, x: T) -> None: ...\n",
    "def first[T: (int, str), *Ts, **P](items: list[T]) -> T:\n    return items[0]\n",
    "type Pair = tuple[int, int]\n",
    'x = f"{d["key"]} and {\', \'.join(a)}"\n',
    "x = f'{'\\n'.join(lines)}'\n",
    "try:\n    pass\nexcept ValueError, TypeError:\n    pass\n",
]


@pytest.mark.parametrize("code", _NEWER)
def test_newer_syntax_has_no_violation(code: str) -> None:
    """Code that only a newer Python parses is clean where it is clean."""
    assert [] == [v.rule for v in analyse(code, Language.PYTHON).violations]


@pytest.mark.parametrize("code", _NEWER)
def test_what_follows_newer_syntax_keeps_its_place(code: str) -> None:
    """A call on the next line is found at its line and column."""
    analysis = analyse(f"{code}é = 1; eval(x)\n", Language.PYTHON)
    spans = [v.span for v in analysis.violations if v.rule == "py-exec"]
    assert [(code.count("\n") + 1, 8)] == [(span.line, span.column) for span in spans]


def test_calls_in_newer_fstrings_are_found() -> None:
    """A call in a field with nested quotes is a call."""
    analysis = analyse('x = f"{eval("1" + y)}"\n', Language.PYTHON)
    assert "py-exec" in [v.rule for v in analysis.violations]


@pytest.mark.parametrize("code", ["x = [1\n", "def f(:\n    pass\n", "class [T]:\n    pass\n"])
def test_broken_code_stays_broken(code: str) -> None:
    """What no Python parses is a violation."""
    assert "py-syntax" in [v.rule for v in analyse(code, Language.PYTHON).violations]


@given(st.text(alphabet="f'\"{}\\\n[]a, #=:xr", max_size=60))
def test_translating_keeps_lines(code: str) -> None:
    """Whatever the text, the number of lines stays, unless a field ran over the end of a line."""
    assert older(code).count("\n") <= code.count("\n")


@given(
    st.sampled_from(["x = f'{a}'", "y = 'a' # f'{", 'z = f"{{}}"', "d['a']", "def f(x):\n    return x[1]"])
)
def test_plain_code_is_left_alone(code: str) -> None:
    """Code that 3.11 parses means the same afterwards."""
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(older(code)))
