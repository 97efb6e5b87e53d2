"""The policy in force: the last valid one, reloaded when its files are saved."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from watchfiles import Change, awatch

from engine import locations
from engine.common.errors import Problem
from engine.common.local_files import private_folder, read_file, write_private
from engine.common.strict_yaml import MAX_BYTES
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.models import Check
from engine.policy import Policy, PolicyError, load, shipped
from engine.settings import PolicySettings

LOOK_MILLISECONDS = 1000
"""How often files are checked without a notification of a change."""

Stamps = dict[Path, tuple[int, ...] | None]


class PolicyStore:
    """Keeps the policy. Where the user's file cannot be used at the start, nothing starts."""

    def __init__(self, settings: PolicySettings, file: Path, events: EventBus) -> None:
        self._settings = settings
        self._file = file
        self._adopted = file.with_name(locations.ADOPTED_POLICY)
        self._events = events
        self._faults: tuple[str, ...] = ()
        self._watched: frozenset[Path] = frozenset({file, self._adopted})
        self._stamps: Stamps = {}
        self.current: Policy = shipped(settings.base)

    async def start(self) -> None:
        """Load the policy, and record that it is in force.

        Raises:
            Problem: the user's policy cannot be used. Without it, no one knows what it would have refused.
        """
        with contextlib.suppress(OSError):  # where it cannot be made, it cannot be read either
            private_folder(self._file.parent)
        self.current = await asyncio.to_thread(self._load)
        await self._reload(first=True)
        if self._faults:
            what = f"the policy cannot be used, so nothing starts: {self._faults[0]}"
            raise Problem(503, what, hint=f"Type: pratique policy test; look at: ls -ld {self._file.parent}")

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
        hint = f"pratique policy test; ls -ld {self._file.parent} {self._file}"
        return Check(name="policy", ok=False, detail=Untrusted(detail), hint=hint)

    async def require_sound(self, text: str) -> None:
        """Check adopted rules together with the user's own policy.

        Raises:
            Problem: the policy does not hold with them, or they cannot be stored.
        """
        trial = self._adopted.with_name(f".{self._adopted.name}.trial")
        try:
            await asyncio.to_thread(write_private, trial, text.encode())
            await asyncio.to_thread(self._load, *self._files(trial))
        except PolicyError as error:
            raise Problem(409, f"the policy does not hold with it: {visible(str(error.faults[0]))}") from None
        except OSError as error:
            raise _unwritable(trial, error) from None
        finally:
            with contextlib.suppress(OSError):
                trial.unlink(missing_ok=True)

    async def adopt(self, text: str) -> None:
        """Put adopted rules into force in the place of those before.

        Raises:
            Problem: they cannot be stored.
        """
        try:
            await asyncio.to_thread(write_private, self._adopted, text.encode())
        except OSError as error:
            raise _unwritable(self._adopted, error) from None
        await self._reload()

    async def adopted_text(self) -> str:
        """Return the file of adopted rules as it is; empty where there is none."""
        with contextlib.suppress(OSError):
            return (await asyncio.to_thread(read_file, self._adopted, MAX_BYTES)).decode("utf-8", "replace")
        return ""

    def _files(self, adopted: Path) -> tuple[Path, ...]:
        """Return the files of the policy that there are, the uppermost last."""
        return tuple(file for file in (adopted, self._file) if not _is_missing(file))

    def _load(self, *files: Path) -> Policy:
        return load(*files, deadlines=self._settings.deadlines, base=self._settings.base)

    async def _reload(self, *, first: bool = False) -> None:
        before, wrong = self.current.hash, self._faults
        self._stamps = _stamps(self._watched)
        try:
            self.current = await asyncio.to_thread(self._load, *self._files(self._adopted))
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


def _unwritable(file: Path, error: OSError) -> Problem:
    return Problem(503, f"{visible(str(file))} cannot be written: {error.strerror}")


def _deadlines(policy: Policy) -> str:
    deadlines = sorted(policy.deadlines.items(), key=lambda item: -item[0].rank)
    return "to decide " + ", ".join(f"{level.value} {seconds:g} s" for level, seconds in deadlines)


async def _looks(files: frozenset[Path]) -> AsyncIterator[None]:
    """Yield whenever something changed where the files lie, and now and then: also where nobody may look."""
    while True:
        try:
            async with contextlib.aclosing(_changes(files)) as changes:
                async for _ in changes:
                    yield
        except (OSError, RuntimeError):
            await asyncio.sleep(LOOK_MILLISECONDS / 1000)
            yield


def _changes(files: frozenset[Path]) -> AsyncGenerator[set[tuple[Change, str]], None]:
    """Yield what changed in the folders of the files. Raises OSError where one cannot be watched."""
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


def _is_missing(file: Path) -> bool:
    """Return whether there is no file: one that cannot be looked at may be there."""
    try:
        file.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _stamps(files: Iterable[Path]) -> Stamps:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is saved, exchanged, or can be read again."""
    try:
        about = file.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return (error.errno or 0,)
    return about.st_mtime_ns, about.st_size, about.st_ino, about.st_mode, os.access(file, os.R_OK)
