"""The shape of code."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import Draft, InputFile, Language, Permissions
from engine.policy.comparison.fingerprint import structural_fingerprint


def of(code: str, language: Language = Language.PYTHON, **changes: Any) -> str | None:
    """Return the shape of code."""
    return structural_fingerprint(Draft(code=Untrusted(code), language=language).model_copy(update=changes))


SAME = [
    ("total = 1\nprint(total)", "summe = 1\nprint(summe)"),
    ("total = 1\nprint(total)", "total = 2  # two\nprint( total )"),
    ("print('hello')", "print('rm -rf /')"),
    ("import math\nx = math.sqrt(4.0)", "import math\ny = math.sqrt(5.0)"),
    ("for a in range(3):\n    b = a\n", "for b in range(9):\n    a = b\n"),
    ("import os\nx = os.listdir('/tmp')", "import os\nfiles = os.listdir('/tmp')"),
]
DIFFERENT = [
    ("import os\nos.remove('a')", "import os\nos.remove('b')"),
    ("import os\nos.kill(1, 9)", "import os\nos.kill(1, 15)"),
    ("import os\nos.system(chr(108))", "import os\nos.system(chr(109))"),
    ("import math", "import os"),
    ("import math", "import math as os"),
    ("print(1)", "print(1.0)"),
    ("print(1)", "print(True)"),
    ("print(b'a')", "print(b'b')"),
    ("print(1)", "print(1, 2)"),
    ("print(1)", "exec(1)"),
    ("open('a')", "open('b')"),
    ("x = [1]\nx.append(2)", "x = [1]\nx.remove(2)"),
    ("x = 1\ny = 2\nprint(x)", "x = 1\ny = 2\nprint(y)"),
    ("def f():\n    helper = 1\nhelper('a')", "def f():\n    exec = 1\nexec('a')"),
    ("def f():\n    helper = 1\nhelper('a')", "def f():\n    helper = 1\neval('a')"),
    ("import random\nrandom._os.system('a')", "import random\nrandom._os.system('b')"),
    ("import calendar\ncalendar.sys.exit('a')", "import calendar\ncalendar.sys.exit('b')"),
    ("from random import _os\n_os.system('a')", "from random import _os\n_os.system('b')"),
    ("from calendar import *\nsys.exit('a')", "from calendar import *\nsys.exit('b')"),
    ("print('{0.a}'.format(1))", "print('{0.b}'.format(1))"),
    ("x = ().__class__\nprint('a')", "x = ().__class__\nprint('b')"),
    ("print = exec\nprint('a')", "print = exec\nprint('b')"),
    ("def f(a):\n    return a\n", "def g(a):\n    return a\n"),
    ("def _0():\n    pass\nx = 1\nx()", "def _0():\n    pass\nx = 1\n_0()"),
    ("if a:\n    b = 1\n", "if a:\n    b = 1\nelse:\n    b = 2\n"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_and_harmless_literals_leave_the_shape(one: str, other: str) -> None:
    """Local names, comments and spacing change no shape, nor do literals in code that only computes."""
    assert of(one) is not None
    assert of(one) == of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_code_reaches_is_in_its_shape(one: str, other: str) -> None:
    """Calls, imports, structure, kinds of literals, and every literal of code that reaches outside count."""
    assert of(one) != of(other)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (Language.SHELL, "ls  -l /tmp # list", "ls -l /tmp"),
        (Language.SHELL, "ls\n\n\necho a\n", "ls\necho a\n"),
        (Language.JAVASCRIPT, "let a = 1; // one\n", "let a =  1;\n"),
    ],
)
def test_comments_and_space_leave_the_shape(language: Language, one: str, other: str) -> None:
    """In shell and JavaScript comments and the amount of white space do not count."""
    assert of(one, language) is not None
    assert of(one, language) == of(other, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (Language.SHELL, "ls /tmp", "ls /etc"),
        (Language.SHELL, 'rm "$a $b"', 'rm "$a$b"'),
        (Language.SHELL, "echo a\nrm b", "echo a rm b"),
        (Language.SHELL, "cat <<E\na\nE\n", "cat <<E\nb\nE\n"),
        (Language.SHELL, "echo 'a b'", "echo a b"),
        (Language.SHELL, "echo a#b", "echo a #b"),
        (Language.JAVASCRIPT, "f(1)", "f(2)"),
        (Language.JAVASCRIPT, "let a = 1", "let b = 1"),
        (Language.JAVASCRIPT, "f(`a b`)", "f(`a  b`)"),
        (Language.JAVASCRIPT, "x = /[/*]/; evil() //*]/", "x = /[/*]/; good() //*]/"),
    ],
)
def test_all_else_is_in_the_shape(language: Language, one: str, other: str) -> None:
    """In shell and JavaScript everything else counts."""
    assert of(one, language) != of(other, language)


@pytest.mark.parametrize(
    "code",
    ["print(", "# coding: utf-7\nprint(1)", "\n# vim: set fileencoding=latin-1 :\n", "x" * 300_000, "\x00"],
)
def test_what_cannot_be_read_has_no_shape(code: str) -> None:
    """Broken code, code in an encoding of its own, and very long code rest on nothing."""
    assert of(code) is None


@pytest.mark.parametrize("language", [Language.SHELL, Language.JAVASCRIPT])
def test_what_has_errors_has_no_shape(language: Language) -> None:
    """Code that its parser does not understand rests on nothing."""
    assert of("if ( then {{{ '", language) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"files": (InputFile(name=Untrusted("a"), content=b"1"),)},
        {"permissions": Permissions(session=True)},
        {"image": "python-data"},
    ],
)
def test_what_comes_with_the_code_is_in_its_shape(changes: dict[str, Any]) -> None:
    """Files, capabilities, the image and the language count; the purpose does not."""
    assert of("print(1)") != of("print(1)", **changes)
    assert of("print(1)") == of("print(1)", purpose=Untrusted("other"))


def test_the_content_of_files_is_in_the_shape() -> None:
    """One byte of a file makes another shape."""
    files = [(InputFile(name=Untrusted("a"), content=content),) for content in (b"1", b"2")]
    assert of("print(1)", files=files[0]) != of("print(1)", files=files[1])


@given(st.text(max_size=60), st.sampled_from(Language))
def test_any_text_has_a_shape_or_none(code: str, language: Language) -> None:
    """No text makes it fail."""
    assert of(code, language) in {None, of(code, language)}


@pytest.mark.parametrize("language", Language)
def test_deep_nesting_has_no_shape(language: Language) -> None:
    """Nesting that cannot be followed rests on nothing."""
    assert of("(" * 20_000 + "1" + ")" * 20_000, language) is None
