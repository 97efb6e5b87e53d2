"""Programs that use the libraries for data are proven where nothing in them can have an effect."""

from __future__ import annotations

import ast
import textwrap

import pytest

from engine.analysis import analyse
from engine.analysis.verdict.python.proof import prove
from engine.models import Language, Verdict
from tests.engine.analysis.verdict.attacks_data import ATTACKS
from tests.engine.analysis.verdict.harmless_data import HARMLESS, INPUTS, READING

_WRAPPERS = (
    "def outer():\n{0}\nouter()",
    "class C:\n    def m(self):\n{1}",
    "if False:\n{0}",
    "for _ in []:\n{0}",
    "x = 1\n{2}",
)


@pytest.mark.parametrize("code", ATTACKS)
def test_no_attack_is_proven(code: str) -> None:
    """Each way to an effect is refused at a place inside the code, with a reason."""
    unproven = prove(code, INPUTS)
    assert unproven
    assert all(one.reason.text and one.span.end_line <= code.count("\n") + 1 for one in unproven)


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_no_attack_is_proven_inside_other_code(wrapper: str) -> None:
    """An attack inside a function, a class or a branch is refused there, too."""
    for attack in ATTACKS:
        code = wrapper.format(textwrap.indent(attack, " " * 4), textwrap.indent(attack, " " * 8), attack)
        assert prove(code, INPUTS), code


@pytest.mark.parametrize("code", HARMLESS)
def test_plain_programs_are_proven(code: str) -> None:
    """Programs that only compute and print are harmless."""
    assert () == prove(code, INPUTS)
    assert analyse(code, Language.PYTHON, inputs=INPUTS).verdict is Verdict.HARMLESS


@pytest.mark.parametrize("code", READING)
def test_what_is_no_input_file_is_not_read(code: str) -> None:
    """A program that reads a file is proven only together with that file."""
    assert prove(code)
    assert prove(code, {"other.csv", "Data.csv", "data.csv/x", "folder/data.csv"})


def test_the_examples_parse() -> None:
    """The attacks are programs."""
    for code in (*ATTACKS, *HARMLESS):
        ast.parse(code)
