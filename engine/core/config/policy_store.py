"""The policy in force: the last valid one, reloaded when its files are saved."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from watchfiles import Change, awatch

from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.models import Check
from engine.policy import Policy, PolicyError, load, shipped
from engine.settings import PolicySettings

LOOK_MILLISECONDS = 1000
"""How often files are checked without a notification of a change."""

Stamps = dict[Path, tuple[int, int] | None]


class PolicyStore:
    """Keeps the policy. Where the user's file cannot be used at the start, the shipped policy is in force."""

    def __init__(self, settings: PolicySettings, file: Path, events: EventBus) -> None:
        self._settings = settings
        self._file = file
        self._events = events
        self._faults: tuple[str, ...] = ()
        self._watched: frozenset[Path] = frozenset({file})
        self._stamps: Stamps = {}
        self.current: Policy = shipped()

    async def start(self) -> None:
        """Load the policy, and record which one is in force or why it is not the user's."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self.current = await asyncio.to_thread(load, deadlines=self._settings.deadlines)
        await self._reload(first=True)

    async def keep(self) -> None:
        """Load the policy again whenever one of its files is saved, until cancelled."""
        while True:
            watched = self._watched
            async for _ in _looks(watched):
                if _stamps(watched) != self._stamps:
                    await self._reload()
                if self._watched != watched:
                    break

    def check(self) -> Check:
        """Return which policy is in force, and what is wrong with the file where it is another one."""
        name = f"{self.current.hash[:12]}, {len(self.current.rules)} rules, {_deadlines(self.current)}"
        if not self._faults:
            return Check(name="policy", ok=True, detail=Untrusted(name))
        more = f" and {len(self._faults) - 1} more" if len(self._faults) > 1 else ""
        detail = f"{self._faults[0]}{more}; the last good policy stays in force ({name})"
        return Check(name="policy", ok=False, detail=Untrusted(detail), hint="pratique policy test")

    async def _reload(self, *, first: bool = False) -> None:
        before, wrong = self.current.hash, self._faults
        self._stamps = _stamps(self._watched)
        try:
            files = (self._file,) if self._file.exists() else ()
            self.current = await asyncio.to_thread(load, *files, deadlines=self._settings.deadlines)
            self._faults = ()
            self._watched = self._watched | set(self.current.files)
        except PolicyError as error:
            self._faults = tuple(visible(str(fault)) for fault in error.faults)
            self._watched = self._watched | {fault.place.file for fault in error.faults}
        self._stamps = self._stamps | _stamps(self._watched - self._stamps.keys())
        if self._faults and self._faults != wrong:
            data = {"faults": list(self._faults), "in_force": self.current.hash}
            await self._record("policy.refused", data, first=first)
        elif not self._faults and (first or wrong or self.current.hash != before):
            await self._record("policy.loaded", {"policy": self.current.hash}, first=first)

    async def _record(self, type: str, data: dict[str, Any], *, first: bool) -> None:
        """Record a change: at the start or not at all, later as soon as the history takes it."""
        record = self._events.record if first else self._events.record_surely
        await record(type, data=data)


def _deadlines(policy: Policy) -> str:
    deadlines = sorted(policy.deadlines.items(), key=lambda item: -item[0].rank)
    return "to decide " + ", ".join(f"{level.value} {seconds:g} s" for level, seconds in deadlines)


def _looks(files: frozenset[Path]) -> AsyncIterator[object]:
    """Yield whenever something changed where the files lie, and now and then without."""
    names = {file.name for file in files}

    def ours(change: Change, path: str) -> bool:
        return Path(path).name in names

    folders = {file.parent for file in files if file.parent.is_dir()}
    if not folders:
        raise FileNotFoundError(errno.ENOENT, "there is no folder to watch", str(min(files).parent))
    return awatch(
        *folders,
        watch_filter=ours,
        recursive=False,
        debounce=100,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
    )


def _stamps(files: Iterable[Path]) -> Stamps:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size
