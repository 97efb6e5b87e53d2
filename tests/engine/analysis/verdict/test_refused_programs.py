"""Programs that use the corners of a language to reach what the proof does not list: none is proven."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.analysis.verdict.javascript.proof import prove as prove_javascript
from engine.analysis.verdict.python.proof import prove as prove_python
from engine.analysis.verdict.shell.proof import prove as prove_shell
from engine.models import Language, Unproven

_FOLDER = Path(__file__).parent / "refused"
_PROOFS = {
    Language.PYTHON: prove_python,
    Language.JAVASCRIPT: prove_javascript,
    Language.SHELL: prove_shell,
}


@pytest.mark.parametrize(("language", "prove"), list(_PROOFS.items()))
def test_no_corner_of_a_language_is_proven(
    language: Language, prove: Callable[[str], tuple[Unproven, ...]]
) -> None:
    """Protocols, conversions, indexes and expansions that could run something leave an unproven place."""
    programs = (_FOLDER / f"{language}.txt").read_text().split("\n===\n")
    assert [] == [program for program in programs if not prove(program)]
