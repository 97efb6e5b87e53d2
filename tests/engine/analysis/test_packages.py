"""Requested package names are checked before anything is fetched."""

from __future__ import annotations

import pytest

from engine.analysis.packages import check_packages
from engine.models import Language, Level

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
    """A name one edit away from a popular one, or an attack tool, is reported at its import."""
    (violation,) = check_packages(["numpy", name], CODE).violations
    assert (rule, line) == (violation.rule, violation.span.line)
    assert violation.severity in {Level.MEDIUM, Level.HIGH}


def test_real_names_pass() -> None:
    """Popular and unknown packages have no violation."""
    assert (
        ()
        == check_packages(["requests", "python-dateutil", "my.own-package", "scikit-learn"], CODE).violations
    )


@pytest.mark.parametrize("name", ["expresss", "loadsh", "@typse/node", "chakl"])
def test_a_deceptive_name_of_npm_is_found(name: str) -> None:
    """A name one edit away from a popular name or scope is reported."""
    found = check_packages(["express", name], "require('x')", Language.JAVASCRIPT).violations
    assert [Level.HIGH] == [one.severity for one in found]


def test_real_names_of_npm_pass() -> None:
    """Names that people use pass although they are close to each other, and so do unknown ones."""
    honest = [
        "lodash",
        "preact",
        "camel-case",
        "@babel/core",
        "@my-own/tool",
        "@esbuild/linux-x64",
        "left-pad",
        "ms",
    ]
    assert () == check_packages(honest, "", Language.JAVASCRIPT).violations
