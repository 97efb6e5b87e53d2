"""Names of packages that are asked for are judged before anything is fetched."""

from __future__ import annotations

import pytest

from engine.analysis.packages import wanted
from engine.models import Level

CODE = "x = 1\nimport reqeusts\n"


@pytest.mark.parametrize(
    ("rule", "line", "name"),
    [
        ("py-package-lookalike", 2, "reqeusts"),
        ("py-package-lookalike", 1, "numpyy"),
        ("py-attack-module", 1, "Pynput"),
    ],
)
def test_a_deceptive_name_is_found(rule: str, line: int, name: str) -> None:
    """One slip from a popular name, or a tool of attackers, is HIGH or as its rule says, at its import."""
    (violation,) = wanted(["numpy", name], CODE).violations
    assert (rule, line) == (violation.rule, violation.span.line)
    assert violation.severity in {Level.MEDIUM, Level.HIGH}


def test_honest_names_pass() -> None:
    """Popular packages and unknown ones say nothing."""
    assert () == wanted(["requests", "python-dateutil", "my.own-package", "scikit-learn"], CODE).violations
