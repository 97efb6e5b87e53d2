"""Find the code files below the paths given to `pratique analyze`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.analysis.file_kinds import Unreadable, language_of
from engine.cli.analysis.batch import Item
from engine.common.draft_files import LANGUAGES
from engine.common.errors import Problem
from engine.common.local_files import open_file
from engine.common.text import visible
from engine.models import Language

_MAX_READ = 64 * 1024 * 1024
_HEAD = 512
_SKIPPED = frozenset({"node_modules", "__pycache__"})
INPUT = "-"


@dataclass
class Sources:
    """The code files found, in order."""

    found: list[tuple[str, Language]] = field(default_factory=list)
    """Names and languages; `-` is standard input."""
    skipped: int = 0
    """Number of files skipped because their language is unknown."""

    def items(self) -> Iterator[Item]:
        """Read the files one by one; an unreadable file is reported, not skipped."""
        for name, language in self.found:
            yield _item(name, language)


def sources(names: Sequence[str], language: Language | None) -> Sources:
    """Return the files named, and those in the directories named; skip hidden directories.

    Raises:
        Problem: a file does not exist, or its language is unknown.
    """
    all_ = Sources()
    for name in names:
        if name != INPUT and Path(name).is_dir():
            _walk(all_, name, language)
        else:
            all_.found.append((name, language or _known(name)))
    if not all_.found:
        raise Problem(
            404,
            f"no code files in {visible(', '.join(names))}",
            hint="Name a file, and add --language python",
        )
    return all_


def _walk(all_: Sources, top: str, language: Language | None) -> None:
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED)
        for name in sorted(files):
            path = os.path.join(folder, name)  # noqa: PTH118 - as it was typed, `./` and all
            found = language or _language(path)
            if found is not None and Path(path).is_file():
                all_.found.append((path, found))
            else:
                all_.skipped += 1


def _known(name: str) -> Language:
    found = None if name == INPUT else _language(name)
    if found is None:
        shown = "standard input" if name == INPUT else visible(name)
        raise Problem(415, f"{shown}: unknown language", hint="Add --language python")
    return found


def _language(name: str) -> Language | None:
    """Return the language by suffix or first line. Raises Problem if the file does not exist."""
    by_suffix = LANGUAGES.get(Path(name).suffix.lower())
    if by_suffix is not None:
        return by_suffix
    try:
        return language_of(name, _head(name))
    except Unreadable:
        return None


def _head(name: str) -> bytes:
    try:
        with open_file(Path(name)) as file:
            return file.read(_HEAD)
    except FileNotFoundError:
        raise Problem(404, f"{visible(name)} cannot be read: No such file or directory") from None
    except OSError:
        return b""


def _item(name: str, language: Language) -> Item:
    if name == INPUT:
        return Item(name, language, sys.stdin.buffer.read(_MAX_READ))
    try:
        with open_file(Path(name)) as file:
            return Item(name, language, file.read(_MAX_READ))
    except OSError as error:
        return Item(name, language, b"", f"the file cannot be read: {error.strerror}")
