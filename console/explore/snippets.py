"""The snippets of Explore: a bounded list in a private file, newest last."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from engine import locations
from engine.common.text import Untrusted
from engine.models import FrozenModel, Language

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
        lines = file().read_text(encoding="utf-8").split("\n")
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
    fresh = path.with_suffix(".new")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as sink:
        sink.writelines(each.model_dump_json(ensure_ascii=True) + "\n" for each in reversed(kept))
    fresh.replace(path)


def _read(line: str) -> SavedSnippet | None:
    try:
        return SavedSnippet.model_validate_json(line) if line else None
    except ValidationError:
        return None
