"""Programs that draw are harmless, and those that write only plain new files of their workspace are known."""

from __future__ import annotations

import ast
import textwrap

import pytest
from pydantic import ValidationError

from engine.analysis import analyse
from engine.analysis.verdict.python.context import MOST_WRITES
from engine.analysis.verdict.python.proof import prove
from engine.models import Language, Span, Unproven, Verdict
from tests.engine.analysis.verdict.attacks_writing import ATTACKS
from tests.engine.analysis.verdict.harmless_data import INPUTS
from tests.engine.analysis.verdict.writing_data import DRAWING, WRITING

_SAVE = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('plot.png')\n"
_WRAPPERS = ("def outer():\n{0}\nouter()", "class C:\n    def m(self):\n{1}", "if False:\n{0}", "x = 1\n{2}")


def _writes_only_workspace(code: str, inputs: frozenset[str] = INPUTS) -> bool:
    return all(place.writes for place in prove(code, inputs))


@pytest.mark.parametrize("code", ATTACKS)
def test_no_attack_writes_only_its_workspace(code: str) -> None:
    """Each way to another effect is refused at a place that names no file."""
    assert not _writes_only_workspace(code)


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_no_attack_is_proven_inside_other_code(wrapper: str) -> None:
    """An attack inside a function, a class or a branch is refused there, too."""
    for attack in ATTACKS:
        code = wrapper.format(textwrap.indent(attack, " " * 4), textwrap.indent(attack, " " * 8), attack)
        assert not _writes_only_workspace(code), code


@pytest.mark.parametrize("code", DRAWING)
def test_drawing_without_saving_is_harmless(code: str) -> None:
    """Pictures that stay in memory are no effect."""
    assert Verdict.HARMLESS is analyse(code, Language.PYTHON).verdict


@pytest.mark.parametrize("code", WRITING)
def test_what_is_written_is_named(code: str) -> None:
    """The verdict stays `unproven`, beside the names of all files that are written."""
    found = analyse(code, Language.PYTHON, inputs=INPUTS)
    assert Verdict.UNPROVEN is found.verdict
    assert found.writes
    assert all(f"'{name}'" in code for name in found.writes)


def test_the_place_of_a_written_file_is_its_name() -> None:
    """The span is that of the name in the code, and the reason says what is written."""
    (place,) = prove(_SAVE)
    assert (3, 13, "plot.png") == (place.span.line, place.span.column, place.writes)
    assert "writes `plot.png` in the workspace" == place.reason.text


def test_an_input_file_is_not_replaced() -> None:
    """Neither under its name nor under one that only differs in case."""
    assert _writes_only_workspace(_SAVE, frozenset({"other.png"}))
    assert not _writes_only_workspace(_SAVE, frozenset({"plot.png"}))
    assert not _writes_only_workspace(_SAVE, frozenset({"Plot.PNG"}))


@pytest.mark.parametrize("name", ["matplotlibrc", "MatplotlibRC", "folder/matplotlibrc"])
def test_an_input_file_may_not_configure_matplotlib(name: str) -> None:
    """Its parameters choose programs that draw text."""
    assert not _writes_only_workspace(_SAVE, frozenset({name}))


def test_what_else_is_refused_ends_the_class() -> None:
    """One place more, whatever it is about, and nothing is said about files."""
    found = analyse(_SAVE, Language.PYTHON)
    assert ("plot.png",) == found.writes
    assert () == found.refused("it runs in a session").writes
    assert () == analyse(_SAVE + "print(open)\n", Language.PYTHON).writes


def test_so_many_files_are_listed() -> None:
    """More of them are not proven."""
    code = "import pandas as pd\nd = pd.DataFrame([1])\n"
    most = code + "".join(f"d.to_csv('x{number}.csv')\n" for number in range(MOST_WRITES))
    assert _writes_only_workspace(most)
    assert not _writes_only_workspace(most + "d.to_csv('y.csv')\n")


@pytest.mark.parametrize("name", ["../x.png", "a/x.png", ".x.png", "x.png\n", "x\u202e.png", "x"])
def test_no_other_name_reaches_a_screen(name: str) -> None:
    """The model itself refuses what is no plain name."""
    with pytest.raises(ValidationError):
        Unproven.model_validate(
            {"span": Span(line=1, column=1, end_line=1, end_column=1), "reason": "", "writes": name}
        )


def test_the_examples_parse() -> None:
    """The attacks are programs."""
    for code in (*ATTACKS, *DRAWING, *WRITING):
        ast.parse(code)
