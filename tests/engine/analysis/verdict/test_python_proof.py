"""What is called harmless only computes and prints, and code that does is called so."""

from __future__ import annotations

import ast
import textwrap
from importlib import import_module
from types import ModuleType

import pytest

from engine.analysis import analyse
from engine.analysis.registry import RULES
from engine.analysis.verdict.python import proof
from engine.analysis.verdict.python.data.library import DATA_MODULES
from engine.analysis.verdict.python.library import BUILTINS, MODULES
from engine.analysis.verdict.python.proof import prove
from engine.models import Language, Level, Verdict
from tests.engine.analysis.verdict.attacks import ATTACKS, ATTRIBUTES, IMPORTS, LIBRARY
from tests.engine.analysis.verdict.harmless import HARMLESS

_VIOLATING = [
    pytest.param(code, id=f"{rule.id}-{number}")
    for rule in RULES.values()
    if Language.PYTHON in rule.languages and rule.severity is not Level.LOW
    for number, code in enumerate(rule.match)
    if not rule.id.endswith("-not-allowed")
]


@pytest.mark.parametrize("code", ATTACKS)
def test_no_attack_is_proven(code: str) -> None:
    """Each way around the proof is refused at a place inside the code, with a reason."""
    unproven = prove(code)
    assert unproven
    assert all(one.reason.text and one.span.end_line <= code.count("\n") + 1 for one in unproven)


_WRAPPERS = (
    "def outer():\n{0}\nouter()",
    "class C:\n    def m(self):\n{1}",
    "if False:\n{0}",
    "try:\n    1 / 0\nexcept Exception:\n{0}",
    "for _ in []:\n{0}",
    "x = 1\n{2}",
    "def gen():\n    yield\n{0}\n",
)


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_no_attack_is_proven_inside_other_code(wrapper: str) -> None:
    """An attack that still parses inside a function, a class or a branch is refused there, too."""
    for attack in (*IMPORTS, *ATTRIBUTES, *LIBRARY):
        code = wrapper.format(textwrap.indent(attack, " " * 4), textwrap.indent(attack, " " * 8), attack)
        assert prove(code), code


@pytest.mark.parametrize("code", _VIOLATING)
def test_no_violating_example_of_a_rule_is_harmless(code: str) -> None:
    """Code in which a rule above LOW must fire is never called harmless."""
    assert analyse(code, Language.PYTHON).verdict is not Verdict.HARMLESS


@pytest.mark.parametrize("code", HARMLESS)
def test_plain_programs_are_proven(code: str) -> None:
    """Programs that only compute and print are harmless."""
    assert () == prove(code)
    assert analyse(code, Language.PYTHON).verdict is Verdict.HARMLESS


def test_the_place_and_the_reason_are_named() -> None:
    """A reviewer is told which expression is not proven, and why."""
    (found,) = prove("x = 1\nif x:\n    print(open('ä').read(), x)\n")
    assert "`open` is not on the list" == found.reason.text
    assert (3, 11, 3, 15) == (
        found.span.line,
        found.span.column,
        found.span.end_line,
        found.span.end_column,
    )


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("class A: pass", "a class is not in the provable subset"),
        ("match 1:\n    case x: print(x)", "`match` is not in the provable subset"),
        ("try: pass\nexcept* ValueError: pass", "`except*` is not in the provable subset"),
        ("async def f(): pass", "`async def` is not in the provable subset"),
        ("def f(): pass\nf.x = 1", "an attribute that is assigned may change the library"),
        ("def f(): pass\ndel f.columns", "an attribute that is deleted may change the library"),
        ("def f(): pass\nf.columns = 1", "an attribute that is assigned may change the library"),
        ("import decimal\ndecimal.Context.prec = 1", "an attribute that is assigned may change the library"),
        ("import numpy\ndef f(): pass\nf.prec = 1", "an attribute that is assigned may change the library"),
        ("def f(): pass\nsetattr(f, 'prec', 1)", "`setattr` is not on the list"),
        ("from collections import namedtuple", "`collections.namedtuple` is not on the list"),
        ("from functools import wraps", "`functools.wraps` is not on the list"),
    ],
)
def test_what_is_outside_of_the_subset_is_named(code: str, what: str) -> None:
    """What gives an object behaviour or attributes of the program's choice is refused, and said plainly."""
    assert what in [one.reason.text for one in prove(code)]


def test_no_listed_value_is_a_module() -> None:
    """A module as a value would have attributes that the list of attributes is not about."""
    values = [
        getattr(import_module(path), name, None)
        for path, module in MODULES.items()
        if path not in DATA_MODULES
        for name in module.values
    ]
    assert [] == [value for value in values if isinstance(value, ModuleType)]


def test_restricted_names_are_not_values() -> None:
    """No name is in two lists of its module."""
    for module in (BUILTINS, *MODULES.values()):
        parts = (module.values, module.calls, module.types)
        assert len(module.names) == sum(len(names) for names in parts)


def test_too_much_code_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit of nodes the rest is not looked at, and nothing is proven."""
    monkeypatch.setattr(proof, "MOST_NODES", 50)
    assert "the code is too long to be proven" == prove("x = 1\n" * 100)[0].reason.text


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000 + ")" * 5000,
        "-" * 20_000 + "1",
        "x" + ".a" * 20_000,
        "[" * 90 + "]" * 90,
        "f(" * 80 + ")" * 80,
    ],
)
def test_deep_nesting_is_answered(code: str) -> None:
    """Nesting ends in an answer, and never in an error."""
    assert analyse(code, Language.PYTHON).verdict in Verdict
    assert isinstance(prove(code), tuple)


def test_the_places_are_bounded() -> None:
    """Hopeless code lists some places only."""
    assert proof.MOST_PLACES >= len(prove("\n".join(f"undefined_{n}" for n in range(500))))


def test_the_examples_parse() -> None:
    """The attacks are programs."""
    for code in (*ATTACKS, *HARMLESS):
        ast.parse(code.removeprefix("\ufeff"))
