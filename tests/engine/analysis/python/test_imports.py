"""What an import is: an effect, and no violation."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import EffectKind, Language
from engine.settings import AnalysisSettings


@pytest.mark.parametrize(
    ("code", "module", "purpose"),
    [
        ("import os", "os", "processes, files and the environment"),
        ("from subprocess import run", "subprocess", "starting processes"),
        ("import urllib.request", "urllib.request", "the network"),
        ("import math", "math", ""),
    ],
)
def test_an_import_is_an_effect_that_says_what_the_module_is_for(
    code: str, module: str, purpose: str
) -> None:
    """An import alone is no violation; its effect has the purpose of a sensitive module."""
    analysis = analyse(code, Language.PYTHON, AnalysisSettings())
    assert () == analysis.violations
    assert [(module, purpose)] == [
        (each.value.text, each.note) for each in analysis.effects if each.kind is EffectKind.MODULE
    ]
