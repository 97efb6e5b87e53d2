"""The libraries whose compiled code a proof takes for sound."""

from __future__ import annotations

import pytest

from engine.analysis.input_files import merged_analyses
from engine.analysis.verdict import judge
from engine.models import Analysis, Language, Verdict

NUMPY = "import numpy as np\nprint(np.zeros(3))\n"


def verdict(code: str, language: Language = Language.PYTHON) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict about code, and what it trusts."""
    found = judge(Analysis(), code, language)
    return found.verdict, found.trusts


@pytest.mark.parametrize(
    ("trusts", "code"),
    [
        ((), "print(6 * 7)"),
        ((), "# numpy\nprint('import pandas')"),
        (("numpy",), NUMPY),
        (("numpy",), "from numpy import zeros\nprint(zeros(3))"),
        (("numpy",), "\ufeff" + NUMPY),
        (("numpy",), "def f():\n    import numpy as np\n    return np.zeros(3)\nprint(f())"),
        (("numpy", "pandas"), "import pandas as pd, numpy as np\nprint(pd.Series(np.zeros(3)))"),
        (("matplotlib",), "import matplotlib.pyplot as plt\nplt.plot([1, 2])"),
    ],
)
def test_a_proof_names_the_libraries_that_it_trusts(trusts: tuple[str, ...], code: str) -> None:
    """Those that the program imports anywhere, and no others."""
    assert (Verdict.HARMLESS, trusts) == verdict(code)


def test_what_writes_only_its_workspace_trusts_libraries_too() -> None:
    """It is proven otherwise."""
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('plot.png')"
    assert (Verdict.UNPROVEN, ("matplotlib",)) == verdict(code)


@pytest.mark.parametrize("code", [NUMPY + "open('x')", NUMPY + "("])
def test_what_is_not_proven_trusts_nothing(code: str) -> None:
    """There is no proof that could."""
    assert (Verdict.UNPROVEN, ()) == verdict(code)


def test_other_languages_trust_no_library() -> None:
    """A word is no import."""
    assert (Verdict.HARMLESS, ()) == verdict("echo numpy", Language.SHELL)


def test_what_is_trusted_is_kept_beside_input_files() -> None:
    """The analyses of the code and its files are one."""
    both = merged_analyses([judge(Analysis(), NUMPY, Language.PYTHON), Analysis()])
    assert (Verdict.HARMLESS, ("numpy",)) == (both.verdict, both.trusts)
