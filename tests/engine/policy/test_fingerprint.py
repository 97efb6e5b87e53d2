"""The structural fingerprint: what has the same one behaves alike."""

from __future__ import annotations

import functools
import io
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import Draft, InputFile, Language, Permissions, Verdict
from engine.policy.comparison.fingerprint import MAX_BYTES, structural_fingerprint


def of(code: str, language: Language = Language.PYTHON, **changes: Any) -> str | None:
    """Return the fingerprint of code, with the verdict of its analysis."""
    draft = Draft(code=Untrusted(code), language=language, **changes)
    return structural_fingerprint(draft, analyse(code, language).verdict)


def proven(code: str) -> str | None:
    """Return the fingerprint of code as if it was proven, whatever the proof takes today."""
    return structural_fingerprint(Draft(code=Untrusted(code), language=Language.PYTHON), Verdict.HARMLESS)


SAME = [
    ("total = 1\nprint(total)", "summe = 1\nprint(summe)"),
    ("total = 1\nprint(total)", "total = 1  # one\nprint( total )"),
    ("import math\nx = math.sqrt(4.0)", "import math\ny = math.sqrt(4.0)"),
    ("for a in range(3):\n    b = a\n", "for b in range(3):\n    a = b\n"),
    ("def f(a):\n    b = a\n    return b\nprint(f(1))", "def f(a):\n    c = a\n    return c\nprint(f(1))"),
    ("from math import pi\nx = 4", "from math import pi\ny = 4"),
    ("match 1:\n    case int(real=1):\n        a = 2", "match 1:\n    case int(real=1):\n        b = 2"),
    ("x = [n * 2 for n in range(3)]\nprint(sum(x))", "y = [k * 2 for k in range(3)]\nprint(sum(y))"),
]
_SHOWS_ERRORS = (
    "class C:\n    def __enter__(self): pass\n    def __exit__(self, t, v, b):\n        print(v)\n"
)
DIFFERENT = [
    ("print('hello')", "print('rm -rf /')"),
    ("total = 1\nprint(total)", "total = 2\nprint(total)"),
    ("import math", "import math as os"),
    ("print(1)", "print(1.0)"),
    ("print(1)", "print(True)"),
    ("print(b'a')", "print(b'b')"),
    ("print(1)", "print(1, 2)"),
    ("x = [1]\nx.append(2)", "x = [1]\nx.remove(2)"),
    ("x = 1\ny = 2\nprint(x)", "x = 1\ny = 2\nprint(y)"),
    ("def f(a):\n    return a\n", "def g(a):\n    return a\n"),
    ("def _0():\n    pass\nx = 1\nx()", "def _0():\n    pass\nx = 1\n_0()"),
    ("y = 0\ntry:\n    1\nexcept Exception as x:\n    print(y)",
     "x = 0\ntry:\n    1\nexcept Exception as x:\n    print(x)"),
    ("y = 0\nmatch 1:\n    case x:\n        print(y)", "x = 0\nmatch 1:\n    case x:\n        print(x)"),
    ("y = 0\nmatch [1]:\n    case [*x]:\n        print(y)",
     "x = 0\nmatch [1]:\n    case [*x]:\n        print(x)"),
    ("class A:\n    x = 1\nprint(A.x)", "class A:\n    y = 1\nprint(A.y)"),
    ("x = 1\ndef f():\n    global x\n    x = 2\nprint(x)",
     "y = 1\ndef f():\n    global y\n    y = 2\nprint(y)"),
    ("import math as m", "import math as n"),
    ("try:\n    print(x)\nexcept NameError as e:\n    print(e)\nx = 1",
     "try:\n    print(y)\nexcept NameError as e:\n    print(e)\ny = 1"),
    (f"{_SHOWS_ERRORS}with C():\n    print(x)\nx = 1", f"{_SHOWS_ERRORS}with C():\n    print(y)\ny = 1"),
    ("x = 1\nprint(f'{x=}')", "y = 1\nprint(f'{y=}')"),
    ("y = 0\nmatch {}:\n    case {**x}:\n        print(y)",
     "x = 0\nmatch {}:\n    case {**x}:\n        print(x)"),
]  # fmt: skip
BYTES_ONLY = [
    "import os\nx = os.listdir('/tmp')",
    "open('a')",
    "exec(1)",
    "total = 1\ndef f():\n    '''\n    >>> total\n    '''\nimport doctest\ndoctest.testmod()",
    "x = ().__class__",
    "print = exec\nprint('a')",
    "from os import *\ndef count():\n    stat = 0\nprint(stat('/workspace/in.csv'))",
    "keep = 1\ndrop = 2\nprint('{drop}'.format(**vars()))",
    "keep = 1\nprint(locals())",
    "keep = 1\nprint(globals())",
    "x = 1\nprint('{0.a}'.format(x))",
    "match print:\n    case object(__self__=b):\n        print(b)",
    "import random\nrandom._os.system('a')",
    "import calendar\ncalendar.sys.exit('a')",
    "from random import _os",
    "from math import *",
    "print(not_bound)",
    "helper('a')",
    "__x = 1\nprint(__x)",
    "from calendar import *\nsys.exit('a')",
    "def f():\n    helper = 1\neval('a')",
    "async def f():\n    pass",
    "\r# coding: unicode_escape\nprint('ok') # \\u000aimport os",
    "# coding: utf-7\nprint(1)",
    "\n# vim: set fileencoding=latin-1 :\n",
    "print(1)\r",
    "print(1)\x0c",
    "print('\x85')",
    "print('\u2028')",
    "print('\u202e')",
    "print('\ufeff')",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_of_variables_leave_the_fingerprint(one: str, other: str) -> None:
    """Names of local variables, comments and blanks do not count in code that only computes."""
    assert proven(one) is not None
    assert proven(one) == proven(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_a_run_could_show_is_in_the_fingerprint(one: str, other: str) -> None:
    """Calls, imports, structure, every literal, and every name that is more than a variable's count."""
    assert None is not proven(one) != proven(other)


@pytest.mark.parametrize("code", BYTES_ONLY)
def test_code_that_does_more_than_compute_has_no_fingerprint(code: str) -> None:
    """What reaches outside, reflects on its own names, or is read by more than one rule: bytes only."""
    assert of(code) is None


def test_the_longest_code_that_is_compared() -> None:
    """As many bytes as the bound have a fingerprint, one more has none."""
    text = "# 34567\n" * (MAX_BYTES // 8)
    assert of(text) is not None
    assert of(f"{text}#") is None


@pytest.mark.parametrize("code", ["print(1)", "total = 1\n"])
@pytest.mark.parametrize(
    "changes", [{"language": Language.SHELL}, {"language": Language.JAVASCRIPT}, {"session": "sb-1"}]
)
def test_only_python_outside_sessions_has_a_fingerprint(code: str, changes: dict[str, Any]) -> None:
    """What a name means in shell, in JavaScript, or after an earlier cell, its text cannot tell."""
    assert of(code) is not None
    assert of(code, **changes) is None


# --- generated programs: what has one fingerprint has one behaviour

NAMES = st.sampled_from(["a", "b", "c", "total", "x"])


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Return a program that computes with a few variables, in functions, loops, handlers and patterns."""
    forms = ["{0} = {2}", "{0} = {1} + {2}", "print({0})", "for {0} in range(3):\n    print({1})",
             "def f({0}):\n    {1} = {2}\n    return {0}\nprint(f({2}))",
             "print([{0} for {0} in range({2})])",
             "try:\n    print({0})\nexcept Exception as {1}:\n    print({2})",
             "match {0}:\n    case {1}:\n        print({1})", "class C:\n    {0} = {2}\nprint(C.{1})",
             "del {0}", "{0}, {1} = {1}, {0}", "print((lambda {0}: {1})({2}))"]  # fmt: skip
    chosen = draw(st.lists(st.tuples(st.sampled_from(forms), NAMES, NAMES, st.integers(0, 3)), max_size=6))
    known = [f"{name} = {number}" for number, name in enumerate(draw(st.lists(NAMES, max_size=3)))]
    return "\n".join([*known, *(form.format(one, other, number) for form, one, other, number in chosen)])


@st.composite
def renamings(draw: st.DrawFn) -> tuple[str, str]:
    """Return a program and the same one with its variables exchanged."""
    program = draw(programs())
    new = dict(zip("abcx", draw(st.permutations("abcx")), strict=True))
    return program, re.sub(r"\b[abcx]\b", lambda match: new[match[0]], program)


def shown(code: str) -> tuple[str, str]:
    """Return what a generated program prints, and how it ends."""
    printed = io.StringIO()
    try:
        exec(compile(code, "generated", "exec"), {"print": functools.partial(print, file=printed)})  # noqa: S102
    except Exception as error:
        return printed.getvalue(), type(error).__name__
    return printed.getvalue(), ""


@settings(max_examples=600, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.one_of(renamings(), st.tuples(programs(), programs())))
def test_programs_of_one_fingerprint_behave_alike(pair: tuple[str, str]) -> None:
    """Whatever the matcher calls equivalent prints the same and ends in the same way."""
    one, other = pair
    if of(one) is not None and of(one) == of(other):
        assert shown(one) == shown(other)


@pytest.mark.parametrize("code", ["print(", "x" * 300_000, "\x00"])
def test_what_cannot_be_read_has_no_fingerprint(code: str) -> None:
    """Broken code and very long code rest on nothing."""
    assert of(code) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"files": (InputFile(name=Untrusted("a"), content=b"1"),)},
        {"permissions": Permissions(session=True)},
        {"image": "python-data"},
    ],
)
def test_what_comes_with_the_code_is_in_its_fingerprint(changes: dict[str, Any]) -> None:
    """Files, permissions, the image and the language count; the purpose does not."""
    assert of("print(1)") != of("print(1)", **changes)
    assert of("print(1)") == of("print(1)", purpose=Untrusted("other"))


def test_the_content_of_files_is_in_the_fingerprint() -> None:
    """One byte of a file makes another fingerprint."""
    files = [(InputFile(name=Untrusted("a"), content=content),) for content in (b"1", b"2")]
    assert of("print(1)", files=files[0]) != of("print(1)", files=files[1])


@given(st.text(max_size=60), st.sampled_from(Language))
def test_any_text_has_a_fingerprint_or_none(code: str, language: Language) -> None:
    """No text makes it fail."""
    assert of(code, language) in {None, of(code, language)}


@pytest.mark.parametrize("language", Language)
def test_deep_nesting_has_no_fingerprint(language: Language) -> None:
    """Nesting that cannot be followed rests on nothing."""
    assert of("(" * 20_000 + "1" + ")" * 20_000, language) is None
