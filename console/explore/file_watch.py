"""Reads a file, and again whenever it is saved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

from watchfiles import awatch

from engine.common.local_files import read_file
from engine.models import Language

MAX_CHARACTERS = 1024 * 1024
MAX_BYTES = 4 * MAX_CHARACTERS
AGAIN_SECONDS = 1.0
"""How long a folder that cannot be watched is left alone."""
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
        text = read_file(path, MAX_BYTES, follow=False).decode()
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
    async for _ in _looks(path.parent):
        text = await asyncio.to_thread(_read_or_none, path)
        if text is not None and text != known:
            known = text
            yield text


async def _looks(folder: Path) -> AsyncGenerator[None, None]:
    """Yield when something changed in a folder, and now and then while it cannot be watched."""
    while True:
        try:
            async for _ in awatch(folder, recursive=False, rust_timeout=1000, watch_filter=None):
                yield
        except (OSError, RuntimeError):
            await asyncio.sleep(AGAIN_SECONDS)
            yield


def _read_or_none(path: Path) -> str | None:
    try:
        return read(path)
    except ValueError:
        return None
