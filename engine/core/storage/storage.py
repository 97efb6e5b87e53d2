"""What the engine writes on: whether it is still there, and has space."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.common import log
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.storage.disk_space import DiskReserve
from engine.core.storage.state_folder import WatchedFiles
from engine.history.errors import HistoryError
from engine.models import Check

LOOK_SECONDS = 1.0
"""How often the files and the space are looked at."""
LOOK_DEADLINE = 10.0
"""After how long without an answer of the file system it counts as lost."""
PROBE = b"\0" * 65536


class Storage:
    """The state folder of this engine."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._folder = folder
        self._database = database
        self._watched = WatchedFiles(())
        self._lost = ""
        self._low = False
        self._hung = ""
        self.reserve = DiskReserve(folder)

    def start(self) -> None:
        """Remember which files are the engine's, and take the reserve."""
        wal = self._database.with_name(self._database.name + "-wal")
        self._watched = WatchedFiles((self._folder, self._database, wal))
        self.reserve.hold()

    def require(self) -> None:
        """Check that what is recorded can be found again.

        Raises:
            HistoryError: the state folder was removed or replaced.
        """
        self._set_lost(self._watched.lost())
        if self._lost:
            raise HistoryError(self._lost, hint=self._hint)

    def require_space(self) -> None:
        """Check that there is space for new work.

        Raises:
            Problem: the disk is nearly full, or does not answer (503).
            HistoryError: the state folder was removed or replaced.
        """
        self.require()
        if self._hung:
            raise Problem(503, self._hung, hint="Look at: dmesg | tail", retry_after=5)
        if self.reserve.low:
            raise Problem(
                503,
                f"the disk that holds {self._folder} is nearly full: decisions are recorded, "
                "new submissions are refused",
                hint=f"Free some space (df -h {self._folder}), then submit it again.",
                retry_after=10,
            )

    async def watch(self) -> None:
        """Look at files and space, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(LOOK_DEADLINE):
                    await asyncio.to_thread(self._look)
                self._hung = ""
            except TimeoutError:
                self._hung = f"the disk that holds {self._folder} does not answer"
            await asyncio.sleep(LOOK_SECONDS)

    async def takes_writes(self) -> bool:
        """Return whether the disk takes a small file."""
        try:
            async with asyncio.timeout(LOOK_DEADLINE):
                await asyncio.to_thread(self._probe)
        except OSError:
            return False
        return True

    def checks(self) -> tuple[Check, ...]:
        """Return the rows of Health about the state folder and its reserve."""
        lost = self._lost or self._hung
        folder = Check(
            name="state folder",
            ok=not lost,
            detail=Untrusted(f"{lost}: nothing new is taken in" if lost else str(self._folder)),
            hint=self._hint if lost else "",
        )
        held = self.reserve.held
        space = f"{self.reserve.size >> 10} KiB {'held for' if held else 'given up to'} decisions and results"
        hint = f"df -h {self._folder}   (and free space: new submissions are refused)" if self._low else ""
        return folder, Check(name="disk reserve", ok=not self._low, detail=Untrusted(space), hint=hint)

    @property
    def _hint(self) -> str:
        return f"Put {self._folder} back, or type: pratique stop, restore a backup, pratique serve"

    def _look(self) -> None:
        self._set_lost(self._watched.lost())
        if self._lost:
            return
        self._low = self.reserve.low
        self.reserve.hold()

    def _set_lost(self, lost: str) -> None:
        if lost and not self._lost:
            log.warning("state_folder.lost", reason=lost)
        elif self._lost and not lost:
            log.info("state_folder.recovered", path=str(self._folder))
        self._lost = lost

    def _probe(self) -> None:
        path = self._folder / ".probe"
        try:
            path.write_bytes(PROBE)
        finally:
            path.unlink(missing_ok=True)
