"""Files and folders of code, as `pratique analyze` is given them."""

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
from engine.common.text import visible
from engine.models import Language

_MAX_READ = 64 * 1024 * 1024
_HEAD = 512
_SKIPPED = frozenset({"node_modules", "__pycache__"})
INPUT = "-"


@dataclass
class Sources:
    """What is to be read, in order."""

    found: list[tuple[str, Language]] = field(default_factory=list)
    """Names and languages; `-` is standard input."""
    left_out: int = 0
    """How many files of folders are in no known language."""

    def items(self) -> Iterator[Item]:
        """Read one after the other; what cannot be read says so and never passes."""
        for name, language in self.found:
            yield _item(name, language)


def sources(names: Sequence[str], language: Language | None) -> Sources:
    """Return the files that `names` mean, those within folders too; hidden folders are left out.

    Raises:
        Problem: there is no such file, or its language is not known.
    """
    all_ = Sources()
    for name in names:
        if name != INPUT and Path(name).is_dir():
            _walk(all_, name, language)
        else:
            all_.found.append((name, language or _known(name)))
    if not all_.found:
        raise Problem(404, f"no code in {visible(', '.join(names))}", hint="Name a file, and its --language")
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
                all_.left_out += 1


def _known(name: str) -> Language:
    found = None if name == INPUT else _language(name)
    if found is None:
        shown = "standard input" if name == INPUT else visible(name)
        raise Problem(415, f"{shown}: no known language", hint="Add --language python, say")
    return found


def _language(name: str) -> Language | None:
    """Return the language by suffix, or else by the first line. Raises Problem for no such file."""
    by_suffix = LANGUAGES.get(Path(name).suffix.lower())
    if by_suffix is not None:
        return by_suffix
    try:
        return language_of(name, _head(name))
    except Unreadable:
        return None


def _head(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(_HEAD)
    except FileNotFoundError:
        raise Problem(404, f"{visible(name)} cannot be read: No such file or directory") from None
    except OSError:
        return b""


def _item(name: str, language: Language) -> Item:
    if name == INPUT:
        return Item(name, language, sys.stdin.buffer.read(_MAX_READ))
    try:
        with Path(name).open("rb") as file:
            return Item(name, language, file.read(_MAX_READ))
    except OSError as error:
        return Item(name, language, b"", f"The file cannot be read: {error.strerror}")
