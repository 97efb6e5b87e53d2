"""Searches that a person keeps, in a file beside the settings."""

from __future__ import annotations

import json
from pathlib import Path

from engine import locations

MOST = 30
LONGEST = 1000


def file() -> Path:
    """Return where they lie, whether or not there are any."""
    return locations.settings_file().parent / "searches.json"


def load() -> list[str]:
    """Return the searches that are kept, the newest first; a file that is no list of them counts as empty."""
    try:
        read = json.loads(file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    kept = read if isinstance(read, list) else []
    return [each for each in kept if isinstance(each, str) and 0 < len(each) <= LONGEST][:MOST]


def toggle(search: str) -> list[str]:
    """Keep a search, or forget it where it is kept already, and return those that are kept then.

    Raises:
        OSError: they cannot be written.
    """
    kept = load()
    changed = [each for each in kept if each != search]
    if len(changed) == len(kept):
        changed.insert(0, search)
    path = file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(changed[:MOST], ensure_ascii=False, indent=1), encoding="utf-8")
    fresh.replace(path)
    return changed[:MOST]
