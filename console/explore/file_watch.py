"""Reads a file, and again whenever it is saved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from watchfiles import awatch

from engine.models import Language

MAX_CHARACTERS = 1024 * 1024
LANGUAGES = {
    ".py": Language.PYTHON,
    ".js": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".sh": Language.SHELL,
    ".bash": Language.SHELL,
}


def read(path: Path) -> str:
    """Return the text of a file. Raises ValueError, naming the file and the reason."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8 text, from byte {error.start} on") from None
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{path.name} has more than {MAX_CHARACTERS:,} characters")
    return text


async def saved(path: Path) -> AsyncGenerator[str, None]:
    """Yield the text whenever it changes, also for editors that replace the file."""
    known = await asyncio.to_thread(_read_or_none, path)
    async for _ in awatch(path.parent, recursive=False, rust_timeout=1000, watch_filter=None):
        text = await asyncio.to_thread(_read_or_none, path)
        if text is not None and text != known:
            known = text
            yield text


def _read_or_none(path: Path) -> str | None:
    try:
        return read(path)
    except ValueError:
        return None
