"""Makes one call site fail: of the history, of SQLite's transactions, of the driver, of files or the network.

A recording run finds the sites; each is then failed in turn, from its first call until the fault is lifted.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from engine.analysis_pool import AnalysisPool
from engine.history.errors import HistoryError
from engine.history.store.sql.ledger import Ledger
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Analysis
from engine.sandbox.api.errors import SandboxUnavailable
from tests.faults.machine import Guest, MachineDriver, MachineVolumes

ENGINE = str(Path(__file__).parents[2] / "engine")
STORE = ("append", "append_output", "append_meters", "append_artifact", "apply_retention")
READ = ("case", "open_cases", "events", "output")
DRIVER = ("create", "destroy", "ping", "image_digest", "probe", "start", "reap", "checks", "remove_all")
VOLUMES = ("ensure", "discard")
GUEST = ("verify", "send", "signal")
OPENED_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT
FILE_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.link", "subprocess.Popen"}
NETWORK_EVENTS = {"socket.connect", "socket.getaddrinfo"}
HANG_SECONDS = 1.2
"""Longer than the deadlines that the scenario sets for the disk and for the driver."""

FAULTS = ("full", "broken", "read-only", "hang", "lost")
HANGING = ("Ledger.commit", "[run.ended]", "[run.kill]", "[decision.expired]", "MachineDriver.destroy")
"""Sites that a bounded run lets hang, too."""


def bounded_faults(sites: Sequence[str]) -> list[tuple[str, str]]:
    """Return every site with a fault that fits it, and some with a hang."""
    single = [(site, "lost" if site.startswith(("Machine", "Guest")) else "full") for site in sites]
    return single + [(site, "hang") for site in sites if any(name in site for name in HANGING)]


@dataclass
class Injector:
    """Counts the calls of each site, and lets those of one site fail."""

    counts: dict[str, int] = field(default_factory=dict)
    site: str = ""
    fault: str = ""
    lifted: bool = True
    services: dict[int, str] = field(default_factory=dict)
    """The names of services by their ports: libraries connect in tasks of their own."""
    hits: int = 0
    first_hit: float = 0.0

    def arm(self, site: str, fault: str) -> None:
        """Let the calls of a site fail from now on."""
        self.site, self.fault, self.lifted, self.hits = site, fault, False, 0

    def lift(self) -> None:
        """Let every call succeed again."""
        self.lifted = True

    def hit(self, site: str) -> bool:
        """Count a call, and return whether it has to fail."""
        self.counts[site] = self.counts.get(site, 0) + 1
        if self.lifted or site != self.site:
            return False
        self.hits += 1
        self.first_hit = self.first_hit or time.monotonic()
        return True

    def system_error(self) -> OSError:
        """Return the fault as an error of the system."""
        number = {"full": errno.ENOSPC, "read-only": errno.EROFS}.get(self.fault, errno.EIO)
        return OSError(number, os.strerror(number))

    def wait(self) -> None:
        """Hang in a thread until the fault is lifted, or for its time."""
        end = time.monotonic() + HANG_SECONDS
        while not self.lifted and time.monotonic() < end:
            time.sleep(0.01)

    async def hang(self) -> None:
        """Hang in the loop until the fault is lifted, or for its time."""
        end = time.monotonic() + HANG_SECONDS
        while not self.lifted and time.monotonic() < end:
            await asyncio.sleep(0.01)


_ACTIVE: list[Injector] = []
_hooked = False


@contextlib.contextmanager
def injecting(injector: Injector) -> Iterator[None]:
    """Pass every call of the engine by an injector meanwhile."""
    with contextlib.ExitStack() as undo:
        for name in STORE:
            undo.enter_context(_patched(SqliteHistoryStore, name, _history, injector))
        for name in READ:
            undo.enter_context(_patched(SqlHistoryReader, name, _history, injector))
        for name in DRIVER:
            undo.enter_context(_patched(MachineDriver, name, _runtime, injector))
        for name in VOLUMES:
            undo.enter_context(_patched(MachineVolumes, name, _runtime, injector))
        for name in GUEST:
            undo.enter_context(_patched(Guest, name, _runtime, injector))
        for name in ("begin", "commit"):
            undo.enter_context(_patched_transaction(name, injector))
        undo.enter_context(_patched(AnalysisPool, "analyse", _worker, injector))
        _hook()
        _ACTIVE.append(injector)
        try:
            yield
        finally:
            injector.lift()
            _ACTIVE.remove(injector)


Kind = Callable[[Injector], Awaitable[None]]


async def _history(injector: Injector) -> None:
    if injector.fault == "hang":
        await injector.hang()
    else:
        raise HistoryError(f"the history fails on purpose: {injector.system_error().strerror}", hint="wait")


async def _runtime(injector: Injector) -> None:
    if injector.fault == "hang":
        await injector.hang()
    raise SandboxUnavailable(f"the container runtime fails on purpose: {injector.fault}", "wait")


async def _worker(injector: Injector) -> None:
    """A worker that is killed gives an incomplete analysis: see `_patched`."""
    if injector.fault == "hang":
        await injector.hang()


@contextlib.contextmanager
def _patched(owner: type, name: str, fail: Kind, injector: Injector) -> Iterator[None]:
    original: Any = getattr(owner, name)

    async def call(self: Any, *args: Any, **options: Any) -> Any:
        if injector.hit(f"{owner.__name__}.{name} < {_caller(sys._getframe(1), name, args)}"):
            if owner is AnalysisPool:
                await fail(injector)
                return Analysis(complete=False)
            if owner is Guest and name == "send":
                self.break_stream()
                raise ConnectionError("the stream fails on purpose")
            await fail(injector)
        return await original(self, *args, **options)

    setattr(owner, name, call)
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextlib.contextmanager
def _patched_transaction(name: str, injector: Injector) -> Iterator[None]:
    """Fail in the writer's thread, below everything that explains errors of SQLite."""
    original: Any = getattr(Ledger, name)

    def call(self: Ledger, **how: bool) -> None:
        if injector.hit(f"Ledger.{name}"):
            if injector.fault == "hang":
                injector.wait()
            else:
                raise _sqlite_error(injector.fault)
        original(self, **how)

    setattr(Ledger, name, call)
    try:
        yield
    finally:
        setattr(Ledger, name, original)


def _sqlite_error(fault: str) -> sqlite3.OperationalError:
    code = {"full": sqlite3.SQLITE_FULL, "read-only": sqlite3.SQLITE_READONLY}.get(
        fault, sqlite3.SQLITE_IOERR
    )
    error = sqlite3.OperationalError(f"fails on purpose: {fault}")
    error.sqlite_errorcode = code
    return error


def _caller(frame: FrameType | None, name: str, args: tuple[Any, ...]) -> str:
    """Return the function of the engine that wants a record or a call, and the type of the record."""
    kind = f"[{args[0]}] " if name == "append" and args else ""
    while frame is not None:
        path, function = frame.f_code.co_filename, frame.f_code.co_name
        between = path.endswith(("event_bus.py", "pending_records.py", "supervisor.py"))
        if path.startswith(ENGINE) and not between:
            return f"{kind}{path[len(ENGINE) + 1 :]}:{function}"
        frame = frame.f_back
    return f"{kind}loop"


def _hook() -> None:
    global _hooked  # noqa: PLW0603  an audit hook can never be removed
    if not _hooked:
        sys.addaudithook(_audit)
        _hooked = True


def _audit(event: str, args: tuple[Any, ...]) -> None:
    """Let calls of the file system by the engine's own code fail; reading alone is no concern of a disk."""
    if not _ACTIVE or event not in FILE_EVENTS | NETWORK_EVENTS:
        return
    injector = _ACTIVE[-1]
    if event == "open" and not (isinstance(args[2], int) and args[2] & OPENED_TO_WRITE):
        return
    frame = _engine_frame(sys._getframe(1))
    service = _service(event, args, injector)
    if frame is not None:
        where = f"{frame.f_code.co_filename[len(ENGINE) + 1 :]}:{frame.f_code.co_name}"
    elif service:
        where = f"a library, for {service}"
    else:
        return
    if injector.hit(f"{event} < {where}"):
        if injector.fault == "hang":
            injector.wait()
        else:
            raise injector.system_error()


def _service(event: str, args: tuple[Any, ...], injector: Injector) -> str:
    """Return the name of the service that is connected to or looked up; empty for files."""
    if event not in NETWORK_EVENTS:
        return ""
    address = args[1] if event == "socket.connect" else args[:2]
    known = injector.services.get(address[1]) if isinstance(address, tuple) else None
    return known or "a service"


def _engine_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the engine, unless one of the tests lies between."""
    for _ in range(40):
        if frame is None:
            return None
        path = frame.f_code.co_filename
        if path.startswith(ENGINE):
            return frame
        if "/tests/" in path:
            return None
        frame = frame.f_back
    return None
