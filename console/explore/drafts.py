"""The text in the editor of each open console, saved while it is typed; the next console goes on with it.

A draft is two files: the newest text, which a console that is killed leaves whole, and one that was synced to
the disk, which a loss of power leaves whole.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from pydantic import ValidationError

from console.app.file_lock import FileLock
from console.explore.snippets import SavedSnippet
from engine import locations
from engine.common.local_files import private_folder, read_file, write_private

MOST_BYTES = 1 << 26
NEWEST, SYNCED = ".json", ".synced"
"""How the names of the two files end."""


def folder() -> Path:
    """Return the folder of the drafts: two files and a lock for each."""
    return locations.state() / "drafts"


class DraftStore:
    """The draft of this console: a new one, or the newest that a console left behind."""

    def __init__(self) -> None:
        self._name = ""
        self._lock: FileLock | None = None
        self._unsynced = b""

    def open(self) -> SavedSnippet | None:
        """Take over the newest draft that no console has open, or begin one; None where it is begun.

        Raises:
            OSError: the folder cannot be used.
        """
        left = self.take_over()
        if left is None:
            self.begin()
        return left

    def take_over(self) -> SavedSnippet | None:
        """Take over the newest draft that no console has open; None where there is none.

        Raises:
            OSError: the folder cannot be used.
        """
        files = [path for path in private_folder(folder()).iterdir() if path.suffix in {NEWEST, SYNCED}]
        names = [path.stem for path in sorted(files, key=_changed_at, reverse=True)]
        for name in dict.fromkeys(names):
            if (draft := _newest(name)) is not None and self._take(name):
                return draft
        return None

    def begin(self) -> None:
        """Begin a draft.

        Raises:
            OSError: the folder cannot be used.
        """
        private_folder(folder())
        self._take(secrets.token_hex(8))

    def save(self, draft: SavedSnippet) -> None:
        """Save what is in the editor; an empty text is forgotten. Does nothing before `open`.

        Raises:
            OSError: it cannot be written.
        """
        if self._lock is None:
            return
        if draft.code.text:
            self._unsynced = draft.model_dump_json(ensure_ascii=True).encode()
            write_private(_file(self._name, NEWEST), self._unsynced)
        else:
            self._forget()

    def sync(self) -> None:
        """Save on the disk what was saved last. Does nothing before `open`.

        Raises:
            OSError: it cannot be written.
        """
        if self._lock is not None and self._unsynced:
            write_private(_file(self._name, SYNCED), self._unsynced, synced=True)
            self._unsynced = b""

    def discard(self) -> None:
        """Forget the draft, and close it.

        Raises:
            OSError: it cannot be removed.
        """
        if self._lock is not None:
            self._forget()
        self.close()

    def _forget(self) -> None:
        self._unsynced = b""
        for suffix in (SYNCED, NEWEST):
            _file(self._name, suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the draft to the next console."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _take(self, name: str) -> bool:
        taken = FileLock.take(folder() / f"{name}.lock")
        if taken is None:
            return False
        self._name, self._lock = name, taken
        return True


def _file(name: str, suffix: str) -> Path:
    return folder() / f"{name}{suffix}"


def _newest(name: str) -> SavedSnippet | None:
    """Return the newer one of what the two files hold, as far as they are whole."""
    found = [draft for suffix in (NEWEST, SYNCED) if (draft := _read(_file(name, suffix))) is not None]
    return max(found, key=lambda draft: draft.at, default=None)


def _read(path: Path) -> SavedSnippet | None:
    try:
        return SavedSnippet.model_validate_json(read_file(path, MOST_BYTES, follow=False))
    except (OSError, ValidationError):
        return None


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
