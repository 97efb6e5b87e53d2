"""The architecture page says what is there: every path that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.structure.structure import ROOT

PAGE = ROOT / "docs" / "architecture.md"
PATHS = sorted(
    set(
        re.findall(
            r"`((?:engine|console|tests|docs|images|deploy)(?:/[\w./-]+)?|pyproject\.toml)`", PAGE.read_text()
        )
    )
)


def test_the_page_names_paths() -> None:
    """The page is read, and names the packages and the modules of its walk-throughs."""
    assert len(PATHS) > 40


@pytest.mark.parametrize("path", PATHS)
def test_a_path_on_the_page_exists(path: str) -> None:
    """A file or a folder of that name is there."""
    assert (ROOT / path).exists()


def test_every_package_is_on_the_page() -> None:
    """No package of the engine is left out."""
    packages = {f"engine/{each.parent.name}" for each in Path(ROOT / "engine").glob("*/__init__.py")}
    named = {"/".join(path.split("/")[:2]) for path in PATHS}
    assert set() == packages - named - {"engine/common", "engine/principals"}


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", PAGE.read_text()))
def test_a_link_on_the_page_leads_somewhere(link: str) -> None:
    """Relative links lead to pages that exist."""
    assert (PAGE.parent / link).exists()
