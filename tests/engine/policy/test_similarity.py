"""How alike two pieces of code are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import Language
from engine.policy.comparison.similarity import similarity, sketch

PYTHON = "def f(a):\n    total = 0\n    for row in a:\n        total += row\n    return total\n"
JAVASCRIPT = "let sum = 0;\nfor (const row of [1, 2]) { sum += row; }\nconsole.log(sum);\n"
SHELL = 'name=data.csv\nwc -l "$name"\necho $name\n'


@pytest.mark.parametrize(
    ("language", "code", "renamed"),
    [
        (Language.PYTHON, PYTHON, PYTHON.replace("total", "sum_").replace("row", "x") + "# done\n"),
        (Language.JAVASCRIPT, JAVASCRIPT, JAVASCRIPT.replace("sum", "total") + "// done\n"),
        (Language.SHELL, SHELL, SHELL.replace("name", "file")),
    ],
)
def test_names_of_local_variables_and_comments_do_not_count(
    language: Language, code: str, renamed: str
) -> None:
    """The same code with other local names is the same."""
    assert 1.0 == similarity(sketch(code, language), sketch(renamed, language))


def test_what_is_called_counts() -> None:
    """Another call makes it less alike, and other code is not alike."""
    other = sketch(PYTHON.replace("total += row", "total += eval(row)"), Language.PYTHON)
    assert 0.3 < similarity(sketch(PYTHON, Language.PYTHON), other) < 1
    harmful = sketch("import os\nos.remove('a')", Language.PYTHON)
    assert similarity(sketch(PYTHON, Language.PYTHON), harmful) < 0.2


@given(st.sampled_from(Language), st.text(max_size=60), st.text(max_size=60))
def test_it_is_a_measure_of_whatever_is_handed_in(language: Language, one: str, other: str) -> None:
    """It is symmetric, between 0 and 1, and 1 for the same text; nothing makes it fail."""
    first, second = sketch(one, language), sketch(other, language)
    assert similarity(second, first) == similarity(first, second)
    assert 0 <= similarity(first, second) <= 1
    assert 1.0 == similarity(first, sketch(one, language))


def test_code_of_no_language_is_compared_by_its_words() -> None:
    """Nothing parses it: broken code has as much in common as its words have."""
    assert sketch("if (a b c d e", None) == sketch("if (a b c d e", Language.PYTHON)
    assert sketch("x = 1 + 2", None) != sketch("x = 1 + 2", Language.PYTHON)


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    [
        (1.0, "a b c d", "a  b\nc d"),
        (0.5, "a b c d e", "a b c d"),
        (1 / 3, "a b c d e", "z a b c d"),
        (0.0, "a b c d", "d c b a"),
        (0.0, "a", "b"),
    ],
)
def test_it_is_the_share_of_common_rows_of_four_words(expected: float, one: str, other: str) -> None:
    """Rows of four tokens that both have, divided by the rows that either has."""
    assert expected == similarity(sketch(one, None), sketch(other, None))
