"""Hostile Python: nothing crashes the analysis, nothing takes it long, nothing unreadable passes."""

from __future__ import annotations

import random
from base64 import b64encode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.models import Analysis, Language, Level

_MANY = 60_000
_HOSTILE = {
    "parentheses": "(" * _MANY + ")" * _MANY,
    "unary": "-" * _MANY + "1",
    "attributes": "a" + ".b" * _MANY,
    "sums": "+".join(["'a'"] * _MANY),
    "lambdas": "lambda: " * 20_000 + "1",
    "conditions": "1 if x else " * 20_000 + "2",
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "pass",
    "nul": "x = 1\0\nimport os",
    "surrogate": "x = '\ud800'",
    "digits": "x = " + "9" * 400_000,
    "powers": "**".join(["9"] * 3000),
    "unended": "f'{" * 5000,
}
_UNREADABLE = ("parentheses", "blocks", "nul", "surrogate", "digits", "unended", "unary", "lambdas")
_BOUNDED = {
    "huge text": "'a' * 10 ** 18",
    "huge shift": "1 << (1 << 70)",
    "wide format": "'%999999999d' % 1; '{:999999999}'.format(1); 'a'.zfill(10 ** 10)",
    "grown text": "x = 'a' * 1000\n" + "x = x.join(x)\n" * 30,
    "counted list": "[xs.count(x) for x in 'a' * 4000]",
    "calls of calls": "".join(f"def f{n}(x):\n    f{n + 1}(x); f{n + 1}(x); f{n + 1}(x)\n" for n in range(12))
    + "def f12(x): eval(x)\n"
    + "f0('a')\n" * 50,
    "nested comprehensions": "x = " + "[" * 40 + "1" + "".join(f" for a{n} in 'ab']" for n in range(40)),
    "regex": "import re\nre.compile('" + "(" * 90 + "a+" + ")+" * 90 + "')",
}


def _is_flagged(analysis: Analysis) -> bool:
    return any(violation.severity.rank >= Level.HIGH.rank for violation in analysis.violations)


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_code_ends_in_an_analysis(name: str) -> None:
    """No rule breaks on it."""
    analysis = analyse(_HOSTILE[name], Language.PYTHON)
    assert [] == [v for v in analysis.violations if v.rule == "analysis-crashed"]


@pytest.mark.parametrize("name", _UNREADABLE)
def test_unreadable_code_is_high_and_incomplete(name: str) -> None:
    """Too deep, broken or not text: HIGH and incomplete."""
    analysis = analyse(_HOSTILE[name], Language.PYTHON)
    assert _is_flagged(analysis)
    assert not analysis.complete


@pytest.mark.parametrize("name", _BOUNDED)
def test_computing_constants_is_bounded(name: str) -> None:
    """What would take years or all memory is not computed; the analysis comes back whole."""
    assert analyse(_BOUNDED[name], Language.PYTHON).complete


def test_what_follows_the_size_limit_is_reported_and_what_precedes_it_is_read() -> None:
    """The first part is analysed, the rest is a violation."""
    rules = {v.rule for v in analyse("eval(x)\n" + "a = 1\n" * 200_000, Language.PYTHON).violations}
    assert {"input-too-large", "py-exec"} <= rules


def test_what_precedes_a_syntax_error_is_read() -> None:
    """Calls before the error have their full violations."""
    rules = {v.rule for v in analyse("import os\nos.system('rm -rf /')\nif (:\n", Language.PYTHON).violations}
    assert {"py-syntax", "py-process", "sh-rm-tree"} <= rules


_PIECES = st.sampled_from(
    [
        "import os",
        "eval(",
        "exec(",
        ")",
        "(",
        "[",
        "]",
        "{",
        "}",
        "f'{",
        "}'",
        "'",
        '"""',
        "\n",
        "\n    ",
        ":",
        "def f(a):",
        "return ",
        "class A:",
        "lambda x:",
        "yield ",
        "os.system",
        "getattr(",
        "__builtins__",
        "*",
        "**",
        "=",
        ":=",
        ",",
        ".",
        "x",
        "1",
        "9**9",
        "for x in y",
        "if ",
        "else ",
        "while True:",
        "try:",
        "except:",
        "match x:",
        "case _:",
        "async ",
        "await ",
        "@",
        "->",
        "\\",
        "#",
        "\x00",
        "\ufeff",
        "é",
        "𝑒",
        "�",
        "b'\\xff'",
        "%",
        "+",
        "'a'",
        ".join(",
        ".format(",
        "chr(",
        "import ",
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(st.lists(_PIECES, max_size=40).map("".join), st.text(max_size=80), st.binary(max_size=80)))
def test_any_text_has_an_analysis(code: str | bytes) -> None:
    """Fuzzed text: no crash, and code that does not parse is HIGH."""
    analysis = analyse(code, Language.PYTHON)
    assert [] == [v.message.text for v in analysis.violations if v.rule == "analysis-crashed"]
    assert analysis.complete or _is_flagged(analysis)
    analysis.model_dump_json()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_broken_code_never_passes(seed: int) -> None:
    """Ordinary code with one character taken out or put in: parses, or is a violation."""
    chance = random.Random(seed)  # noqa: S311
    code = "import os\ndef f(a):\n    return [os.getcwd() + x for x in a if x]\nprint(f('ab'))\n"
    index = chance.randrange(len(code))
    broken = (
        code[:index] + chance.choice(["", "(", ")", "'", "\0", "\\"]) + code[index + chance.randrange(2) :]
    )
    analysis = analyse(broken, Language.PYTHON)
    try:
        compile(broken, "code", "exec")
    except (SyntaxError, ValueError):
        assert _is_flagged(analysis)


def test_each_layer_of_encoded_code_is_read_once() -> None:
    """What `exec` decodes and what the literal decodes to are one and the same code."""
    code = "import os; os.system('id')"
    for _ in range(3):
        code = f"exec(__import__('base64').b64decode('{b64encode(code.encode()).decode()}'))"
    rules = [found.rule for found in analyse(code, Language.PYTHON).violations]
    assert 1 == rules.count("py-process")


@pytest.mark.parametrize("hostile", ["# " + "global " * 40_000 + "\n", "while x: pass\n" * 10_000])
def test_conditions_of_many_loops_are_read_once(hostile: str) -> None:
    """However many loops and mentions of `global` there are, a loop that nothing ends is found."""
    found = analyse(f"x = 1\n{hostile}while x: pass\n", Language.PYTHON)
    assert "py-endless-loop" in {one.rule for one in found.violations}


def test_a_condition_that_a_function_changes_can_end() -> None:
    """`global` names what is changed from elsewhere, be it the second name of a line behind a colon."""
    code = "x = 1\ndef stop(): global y, x; x = 0\nwhile x: stop()\n"
    assert "py-endless-loop" not in {one.rule for one in analyse(code, Language.PYTHON).violations}
