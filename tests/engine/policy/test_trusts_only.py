"""The condition `trusts_only`: it takes a proof, and one that trusts no other libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.models import Analysis, Draft, Language, Level, Span, Unproven, Verdict
from engine.policy import PolicyError, assess, load
from engine.policy.files.conditions import conditions
from engine.policy.files.schema import When
from engine.policy.request_facts import of_submission

DRAFT = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
LINE = Span(line=1, column=1, end_line=1, end_column=2)
PLACE = Unproven(span=LINE, reason=Untrusted("why"), writes="a.csv")
PLAIN = Analysis(verdict=Verdict.HARMLESS)
NUMPY = Analysis(verdict=Verdict.HARMLESS, trusts=("numpy",))
BOTH = Analysis(verdict=Verdict.HARMLESS, trusts=("numpy", "pandas"))
UNPROVEN = Analysis()
WRITES = Analysis(unproven=(PLACE,), trusts=("pandas",))


@pytest.mark.parametrize(
    ("expected", "listed", "analysis"),
    [
        (True, (), PLAIN),
        (False, (), NUMPY),
        (False, (), UNPROVEN),
        (True, ("numpy",), PLAIN),
        (True, ("numpy",), NUMPY),
        (False, ("numpy",), BOTH),
        (False, ("numpy",), WRITES),
        (True, ("numpy", "pandas"), BOTH),
        (True, ("numpy", "pandas"), WRITES),
        (False, ("numpy", "pandas"), UNPROVEN),
    ],
)
def test_it_takes_a_proof_that_trusts_no_other_library(
    expected: bool, listed: tuple[str, ...], analysis: Analysis
) -> None:
    """What is not proven trusts nothing, and the condition does not hold for it."""
    (holds,) = conditions(When.model_validate({"trusts_only": list(listed)}))
    assert expected is (holds(of_submission(DRAFT, analysis)) is not None)


def test_shipped_rules_approve_nothing_at_once_that_trusts_a_library(tmp_path: Path) -> None:
    """Where the owner lets clean code run at once, that is code of which all is proven."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - {id: clean-code, enabled: true}\n")
    assert [Level.LOW, Level.MEDIUM] == [assess(DRAFT, one, load(file)).risk for one in (PLAIN, NUMPY)]


def test_it_belongs_in_a_rule_that_lowers(tmp_path: Path) -> None:
    """A rule that raises the risk would not match what lacks a proof."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - {id: mine, risk: high, when: {trusts_only: numpy}}\n")
    with pytest.raises(PolicyError, match="belongs in a rule that lowers"):
        load(file)
