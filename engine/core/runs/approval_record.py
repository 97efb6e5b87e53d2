"""Whether the approval of a run is on disk: before that a sandbox is made ready, and nothing started."""

from __future__ import annotations

import asyncio


class ApprovalRecord:
    """The record of one approval, for everything that waits for it."""

    def __init__(self) -> None:
        self._known = asyncio.Event()
        self._on_disk = False

    @property
    def on_disk(self) -> bool:
        """Whether it is known to be on disk."""
        return self._on_disk

    def made(self) -> None:
        """Note that the approval is on disk."""
        self._on_disk = True
        self._known.set()

    def failed(self) -> None:
        """Note that it could not be recorded: nothing runs."""
        self._known.set()

    async def is_made(self) -> bool:
        """Return whether it is on disk, once that is known."""
        await self._known.wait()
        return self._on_disk
