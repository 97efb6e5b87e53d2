"""The text in the editor of each open console, saved while it is typed; the next console goes on with it."""

from __future__ import annotations

import secrets
from pathlib import Path

from pydantic import ValidationError

from console.app.file_lock import FileLock
from console.explore.snippets import SavedSnippet
from engine import locations
from engine.common.local_files import private_folder, read_file, write_private

MOST_BYTES = 1 << 26


def folder() -> Path:
    """Return the folder of the drafts: a file and a lock for each console."""
    return locations.state() / "drafts"


class DraftStore:
    """The draft of this console: a new one, or the newest that a console left behind."""

    def __init__(self) -> None:
        self._name = ""
        self._lock: FileLock | None = None

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
        found = sorted(private_folder(folder()).glob("*.json"), key=_changed_at, reverse=True)
        for path in found:
            if (draft := _read(path)) is not None and self._take(path.stem):
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
        path = folder() / f"{self._name}.json"
        if draft.code.text:
            write_private(path, draft.model_dump_json(ensure_ascii=True).encode())
        else:
            path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget the draft, and close it.

        Raises:
            OSError: it cannot be removed.
        """
        if self._lock is not None:
            (folder() / f"{self._name}.json").unlink(missing_ok=True)
        self.close()

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
