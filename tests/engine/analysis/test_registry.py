"""The rule registry and its documentation pages."""

from __future__ import annotations

from pathlib import Path

from engine.analysis.registry import RULES, pages

_PAGES = Path(__file__).parents[3] / "docs" / "rules.md"


def test_every_rule_has_its_page() -> None:
    """`docs/rules.md` is what `pratique rules docs` prints."""
    assert pages() == _PAGES.read_text()


def test_the_pages_name_every_rule() -> None:
    """No rule is left out."""
    assert [] == [name for name in RULES if f"`{name}`" not in pages()]
