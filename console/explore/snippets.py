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
    run: str = ""
    """The id of the submission that it became; empty where it was not submitted."""

    def is_like(self, other: SavedSnippet) -> bool:
        """Return whether this one need not be kept beside another: same code, and not another run."""
        same = (self.language, self.code) == (other.language, other.code)
        return same and self.run in {"", other.run}

    def mentions(self, words: str) -> bool:
        """Return whether every word is in its code, its purpose, its language or the id of its run."""
        text = f"{self.code.text}\n{self.purpose.text}\n{self.language.value}\n{self.run}".lower()
        return all(word in text for word in words.lower().split())


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
    """Save a snippet as the newest; code that never ran is kept once, and only the newest `KEPT` snippets."""
    if len(snippet.code.text) > LONGEST:
        return
    others = load()
    if not snippet.run and any(each.run and snippet.is_like(each) for each in others[:1]):
        return
    others = tuple(each for each in others if not each.is_like(snippet))
    kept = [snippet, *others][:KEPT]
    path = file()
    lines = (each.model_dump_json(ensure_ascii=True) + "\n" for each in reversed(kept))
    write_private(path, "".join(lines).encode())


def _read(line: str) -> SavedSnippet | None:
    try:
        return SavedSnippet.model_validate_json(line) if line else None
    except ValidationError:
        return None
