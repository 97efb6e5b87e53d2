"""Short attacks and short honest programs: the first have at least the level asked, the second at most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.analysis import analyse
from engine.models import Analysis, Language, Level, Verdict

_FOLDER = Path(__file__).parent / "short"


def _programs(kind: str) -> Iterator[object]:
    """Yield the programs of the files of a kind: `=== LEVEL NAME`, and the code below."""
    for language in Language:
        for part in re.split(r"(?m)^=== ", (_FOLDER / f"{language}_{kind}.txt").read_text())[1:]:
            head, _, code = part.partition("\n")
            level, _, name = head.partition(" ")
            yield pytest.param(language, Level(level), code, id=f"{language}-{name}")


def _rank(analysis: Analysis) -> int:
    return max((violation.severity.rank for violation in analysis.violations), default=-1)


@pytest.mark.parametrize(("language", "level", "code"), list(_programs("attacks")))
def test_an_attack_has_at_least_its_level(language: Language, level: Level, code: str) -> None:
    """An attack is as grave as an honest program of its purpose hardly ever is, and is never harmless."""
    analysis = analyse(code, language)
    assert level.rank <= _rank(analysis), analysis.violations
    assert analysis.verdict is not Verdict.HARMLESS


@pytest.mark.parametrize(("language", "level", "code"), list(_programs("honest")))
def test_an_honest_program_has_at_most_its_level(language: Language, level: Level, code: str) -> None:
    """An honest program has no violation above what its purpose needs."""
    analysis = analyse(code, language)
    worst = [one for one in analysis.violations if one.severity.rank > level.rank]
    assert [] == worst
