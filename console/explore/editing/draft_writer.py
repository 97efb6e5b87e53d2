"""Writes drafts on a thread of its own: a console that is busy with drawing delays none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from console.explore.drafts import DraftStore
from console.explore.snippets import SavedSnippet

SAVE_SECONDS = 0.25
"""A change is saved this long after it at most, and the time that writing takes."""
SYNC_SECONDS = 1.0
"""While somebody types, the disk is synced this often at most; it is synced as well when they pause."""


class DraftWriter:
    """Saves the newest text of each draft; `failed` is called on the thread where that was not possible."""

    def __init__(self, failed: Callable[[OSError], object]) -> None:
        self._failed = failed
        self._lock = threading.Lock()
        self._unsaved = dict[DraftStore, Callable[[], SavedSnippet]]()
        self._changed = threading.Event()
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._saved = set[DraftStore]()
        """What may not be on the disk yet."""
        self._synced_at = 0.0

    def start(self) -> None:
        """Begin to save."""
        threading.Thread(target=self._run, name="drafts", daemon=True).start()

    def put(self, store: DraftStore, text: Callable[[], SavedSnippet]) -> None:
        """Save a text soon; it is put together then."""
        with self._lock:
            self._unsaved[store] = text
        self._changed.set()

    def flush(self) -> None:
        """Save now what is not saved yet. Raises OSError."""
        with self._writing:
            with self._lock:
                unsaved, self._unsaved = self._unsaved, {}
            for store, text in unsaved.items():
                store.save(text())
                self._saved.add(store)

    def sync(self) -> None:
        """Sync to the disk what was saved. Raises OSError."""
        with self._writing:
            self._synced_at = time.monotonic()
            while self._saved:
                self._saved.pop().sync()

    def discard(self, store: DraftStore) -> None:
        """Forget a draft, also what of it is not saved yet. Raises OSError."""
        with self._writing:
            with self._lock:
                self._unsaved.pop(store, None)
            store.discard()

    def close(self) -> None:
        """Save now what is not saved yet, and end. Raises OSError."""
        self._ended.set()
        self._changed.set()
        self.flush()
        self.sync()

    def _run(self) -> None:
        while self._changed.wait() and not self._ended.wait(SAVE_SECONDS):
            self._changed.clear()
            try:
                self.flush()
                if not self._changed.is_set() or time.monotonic() - self._synced_at > SYNC_SECONDS:
                    self.sync()
            except OSError as error:
                self._failed(error)
