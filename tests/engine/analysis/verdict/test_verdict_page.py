"""docs/verdict.md has the lists of the code."""

from __future__ import annotations

from pathlib import Path

from engine.analysis.verdict.pages import lists

_PAGE = Path(__file__).parents[4] / "docs" / "verdict.md"


def test_the_page_has_the_lists() -> None:
    """The lists in `docs/verdict.md` are what `python -m engine.analysis.verdict.pages` prints."""
    assert _PAGE.read_text().endswith("\n" + lists() + "\n")
