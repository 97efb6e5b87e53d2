"""Files that were dragged onto the terminal or copied in a file manager: it pastes their paths."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

from engine.models import Language

MOST_FILES = 16
LONGEST = 8192


def files(text: str) -> tuple[Path, ...]:
    """Return the files whose absolute paths a pasted text consists of; none where it is anything else.

    Hidden files and files in hidden folders are none: keys and passwords are kept there.
    """
    found = paths(text)
    return found if found and all(map(_is_plain, found)) else ()


def paths(text: str) -> tuple[Path, ...]:
    """Return the absolute paths that a text consists of: quoted, escaped or as addresses. Pure."""
    text = text.strip()
    if len(text) > LONGEST or (not text.isprintable() and "\n" not in text):
        return ()
    try:
        words = [_path(word) for word in shlex.split(text)]
    except ValueError:
        return ()
    good = 0 < len(words) <= MOST_FILES and all(word.startswith("/") and word.isprintable() for word in words)
    return tuple(map(Path, words)) if good else ()


def _path(word: str) -> str:
    if not word.startswith("file://"):
        return word
    address = urlsplit(word)
    return unquote(address.path) if address.netloc in {"", "localhost"} else ""


def _is_plain(path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.parts)
    try:
        return not hidden and path.is_file() and not path.is_symlink()
    except OSError:
        return False


def as_code(found: tuple[Path, ...], before: str, language: Language) -> str:
    """Return the names of files for code after `before`: as texts, or as they are where one has begun."""
    names = [path.name for path in found]
    if before.endswith(("'", '"', "`")):
        return ", ".join(names)
    if language is Language.SHELL:
        return " ".join(map(shlex.quote, names))
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
