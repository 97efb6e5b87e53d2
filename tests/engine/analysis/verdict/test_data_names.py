"""Which files a program with data may read and write, and which libraries it imports."""

from __future__ import annotations

import ast

import pytest

from engine.analysis.verdict.python.data.element_types import TAKES_TYPES
from engine.analysis.verdict.python.data.files import PICTURE, TABLE, is_configured, is_input, is_output
from engine.analysis.verdict.python.data.imports import data_libraries
from engine.analysis.verdict.python.data.labels import MAKERS
from engine.analysis.verdict.python.meanings import REFUSED_BUILTINS


@pytest.mark.parametrize("name", ["a.csv", "data/b c.TSV", "x.y.txt"])
def test_a_granted_file_with_a_plain_name_is_an_input(name: str) -> None:
    """It is one where it is granted, and not otherwise."""
    assert is_input(name, {name, "other.csv"})
    assert not is_input(name, {"other.csv"})


@pytest.mark.parametrize(
    "name", ["https://a.example/a.csv", "/etc/a.csv", "~/a.csv", "../a.csv", "a.csv.gz", "a.pkl", ".a.csv"]
)
def test_a_name_that_a_reader_would_interpret_is_no_input(name: str) -> None:
    """Addresses, other folders, archives and hidden files are none, even where they are granted."""
    assert not is_input(name, {name})


def test_an_output_has_a_plain_name_of_its_kind_that_replaces_no_input() -> None:
    """Case makes no difference to whether an input would be replaced."""
    assert is_output("a.csv", TABLE, {"b.csv"})
    assert is_output("a.png", PICTURE, set())
    assert not is_output("a.png", TABLE, set())
    assert not is_output("../a.csv", TABLE, set())
    assert not is_output("a.csv", TABLE, {"A.CSV"})


def test_matplotlib_is_configured_by_a_file_of_one_name_in_any_folder() -> None:
    """Case makes no difference; no other file configures it."""
    assert is_configured({"a.csv", "settings/MatplotlibRC"})
    assert not is_configured({"a.csv", "matplotlibrc.csv"})
    assert not is_configured(set())


def test_only_libraries_for_data_are_told_by_their_first_name() -> None:
    """Of imports in every form, relative ones included."""
    source = "import os, numpy.linalg as n\nfrom pandas.io import json\nfrom . import matplotlib\nimport re"
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert data_libraries(nodes) == frozenset({"numpy", "pandas"})


def test_built_ins_that_are_refused_beside_pandas_are_never_taken_for_names_of_the_program() -> None:
    """Where the program gives such a name another meaning, too, it is not proven."""
    assert {name for name in MAKERS | TAKES_TYPES if "." not in name} == REFUSED_BUILTINS
