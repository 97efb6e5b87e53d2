"""Saved searches, in a file beside the settings."""

from __future__ import annotations

import json
from pathlib import Path

from engine import locations
from engine.common.local_files import read_file, write_private

MOST_BYTES = 1 << 20
MOST = 30
LONGEST = 1000


def file() -> Path:
    """Return the path of the file, which need not exist."""
    return locations.settings_file().parent / "searches.json"


def load() -> list[str]:
    """Return the saved searches, newest first; an invalid file counts as empty."""
    try:
        read = json.loads(read_file(file(), MOST_BYTES))
    except (OSError, ValueError):
        return []
    saved = read if isinstance(read, list) else []
    return [each for each in saved if isinstance(each, str) and 0 < len(each) <= LONGEST][:MOST]


def toggle(search: str) -> list[str]:
    """Save a search, or remove it if it is saved, and return the saved searches.

    Raises:
        OSError: the file cannot be written.
    """
    saved = load()
    changed = [each for each in saved if each != search]
    if len(changed) == len(saved):
        changed.insert(0, search)
    path = file()
    write_private(path, json.dumps(changed[:MOST], ensure_ascii=False, indent=1).encode())
    return changed[:MOST]
