"""Several engines in this process over one PostgreSQL, each with a state folder and a machine of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.core import Engine
from engine.history.api import HistoryStore
from engine.history.store.open import open_history
from engine.models import Level
from engine.settings import HistorySettings, PolicySettings, SandboxSettings, Settings
from tests.faults.machine import IMAGE, Machine, MachineDriver, machine_backend


def several_settings(url: str, name: str) -> Settings:
    """Return the settings of one of several engines."""
    return Settings(
        policy=PolicySettings(base="strict", deadlines={Level.HIGH: 600}, require_full_review=False),
        history=HistorySettings(
            database=url, engines="several", engine_name=name, batch_milliseconds=5, witness_file=False
        ),
        sandbox=SandboxSettings(pool=0, grace_seconds=0.2),
    )


@dataclass
class OneOfSeveral:
    """An engine, and where its sandboxes live."""

    engine: Engine
    log: HistoryStore
    machine: Machine = field(default_factory=Machine)


@contextlib.asynccontextmanager
async def started(
    url: str, folder: Path, name: str, pool: AnalysisPool, concurrent: int = 4, image: str = IMAGE
) -> AsyncIterator[OneOfSeveral]:
    """Run an engine whose state folder has a copy of the first one's key, for so many runs at once."""
    home = folder / name
    home.mkdir(mode=0o700, exist_ok=True)
    first = next(iter(sorted(folder.glob("*/pratique.key"))), None)
    if first and first.parent != home:
        shutil.copy(first, home / "pratique.key")
    machine, settings = Machine(), several_settings(url, name)
    async with contextlib.AsyncExitStack() as closing:
        closing.enter_context(_at_home(home))
        log = await open_history(settings.history, home / "pratique.db", None)
        closing.push_async_callback(log.close)
        backend = machine_backend(machine, MachineDriver(machine, image=image), concurrent)
        closing.push_async_callback(backend.close)
        yield OneOfSeveral(
            await closing.enter_async_context(Engine(settings, log, pool, backend)), log, machine
        )


@contextlib.contextmanager
def _at_home(home: Path) -> Iterator[None]:
    """Let what lies in the state folder lie here; an engine that is up remembers where that was."""
    before = os.environ.get("PRATIQUE_HOME")
    os.environ["PRATIQUE_HOME"] = str(home)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("PRATIQUE_HOME")
        else:
            os.environ["PRATIQUE_HOME"] = before
