"""The snippets of Explore: a bounded list in a private file, newest last."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from engine import locations
from engine.common.local_files import read_file, write_private
from engine.common.text import Untrusted
from engine.models import FrozenModel, Language

MOST_BYTES = 1 << 26
KEPT = 200
LONGEST = 256 * 1024
"""Characters of one snippet; a longer one is not saved."""


class SavedSnippet(FrozenModel):
    """Code that was submitted from Explore, or replaced there."""

    at: datetime
    language: Language
    code: Untrusted
    purpose: Untrusted = Untrusted("")


def file() -> Path:
    """Return the path of the file."""
    return locations.state() / "snippets.jsonl"


def load() -> tuple[SavedSnippet, ...]:
    """Return the snippets that can be read, newest first."""
    try:
        lines = read_file(file(), MOST_BYTES).decode().split("\n")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(snippet for line in reversed(lines) if (snippet := _read(line)) is not None)


def save(snippet: SavedSnippet) -> None:
    """Save a snippet as the newest; the same code is kept once, and only the newest `KEPT` snippets."""
    if len(snippet.code.text) > LONGEST:
        return
    others = [each for each in load() if (each.language, each.code) != (snippet.language, snippet.code)]
    kept = [snippet, *others][:KEPT]
    path = file()
    lines = (each.model_dump_json(ensure_ascii=True) + "\n" for each in reversed(kept))
    write_private(path, "".join(lines).encode())


def _read(line: str) -> SavedSnippet | None:
    try:
        return SavedSnippet.model_validate_json(line) if line else None
    except ValidationError:
        return None
