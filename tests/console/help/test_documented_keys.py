"""The keys in docs/console.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from console.app.keymap import bindings

DOCUMENT = Path(__file__).parents[3] / "docs/console.md"
ROW = re.compile(r"^\| \w+ \| `([^`]+)` \| .* \| `([a-z-]+\.[a-z-]+)` \|$", re.MULTILINE)


def test_every_documented_key_has_its_binding() -> None:
    """Each row of the table names a binding ID and its default key."""
    keys = {
        (binding.key_display or binding.key, binding.id) for each in bindings().values() for binding in each
    }
    rows = ROW.findall(DOCUMENT.read_text())
    assert 25 < len(rows)
    assert [] == [row for row in rows if row not in keys]
