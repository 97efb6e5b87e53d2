"""Files of code, and the drafts that they stand for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engine.models import Draft, Language
from engine.problem import Problem
from engine.text import Untrusted

LANGUAGES = {
    ".py": Language.PYTHON,
    ".js": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".sh": Language.SHELL,
    ".bash": Language.SHELL,
}
"""The language of a file, by its suffix."""


def read_draft(path: Path, max_bytes: int, language: Language | None = None) -> Draft:
    """Return the draft that a file of code stands for; its suffix says the language where nobody else does.

    Raises:
        Problem: it is no regular file, too large, in no known language, or not UTF-8.
    """
    language = language or LANGUAGES.get(path.suffix.lower())
    if language is None:
        known = " ".join(LANGUAGES)
        raise Problem(415, f"{path.name}: not a language that runs here", mend=f"Use one of {known}")
    try:
        return Draft(code=Untrusted(_read(path, max_bytes).decode()), language=language)
    except UnicodeDecodeError as error:
        raise Problem(422, f"{path.name} is not UTF-8 text, from byte {error.start} on") from None


def _read(path: Path, max_bytes: int) -> bytes:
    """Read a regular file without following a link and without waiting on a FIFO."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise Problem(404, f"there is no {path}") from None
    except OSError as error:
        raise Problem(422, f"{path.name} cannot be read: {error.strerror}") from None
    about = os.fstat(descriptor)
    try:
        if not stat.S_ISREG(about.st_mode):
            raise Problem(422, f"{path.name} is not a regular file")
        if about.st_size > max_bytes:
            raise Problem(413, f"{path.name} is over {max_bytes} bytes")
        return os.read(descriptor, max_bytes + 1)
    finally:
        os.close(descriptor)
