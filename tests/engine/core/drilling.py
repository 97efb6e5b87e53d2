"""An engine over a machine of this process, into which drills are slipped at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.queue import ActiveSubmission
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, Draft, Language, Principal, Role
from engine.settings import PolicySettings, SandboxSettings, Settings
from tests.faults.machine import Machine, machine_backend

AGENT = Principal(name=Untrusted("claude#0a1b2c"), id="uid:1000/agent:0a1b2c" + "0" * 26)
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}), id="token:t-ada")
BOB = Principal(name=Untrusted("bob"), roles=frozenset({Role.REVIEWER}), id="token:t-bob")
REAL = Draft(code=Untrusted("import os\nprint(os.listdir('.'))\n"), language=Language.PYTHON)
POLICY = {"base": "strict", "require_full_review": False, "drill_every": 1}


@contextlib.asynccontextmanager
async def drilled_engine(home: Path, machine: Machine, **policy: object) -> AsyncIterator[Engine]:
    """Yield an engine whose drills come without delay."""
    settings = Settings(
        policy=PolicySettings.model_validate(POLICY | policy), sandbox=SandboxSettings(pool=0)
    )
    log = await SqliteHistoryStore.open(home / "pratique.db", settings.history)
    pool, backend = AnalysisPool(settings.analysis), machine_backend(machine)
    try:
        async with Engine(settings, log, pool, backend) as engine:
            engine.drill_schedule.delay = lambda: 0.0
            yield engine
    finally:
        await backend.close()
        await pool.close()
        await log.close()


async def drill(engine: Engine) -> ActiveSubmission:
    """Submit something real, and return the drill that follows it."""
    await engine.submissions.submit(REAL, AGENT)
    while not (found := [entry for entry in engine.work_queue if entry.is_drill]):
        await engine.work_queue.wait_for_event(engine.queries.latest)
    async with engine.work_queue.exclusive(found[0]):
        return found[0]


async def settled(engine: Engine, machine: Machine) -> set[bytes]:
    """Return what ran, once nothing runs."""
    while engine.queries.going:
        await asyncio.sleep(0.01)
    return set(machine.executed)


def code_of(case: Case) -> bytes:
    """Return the code of a case as a sandbox would get it."""
    return case.submission.draft.code.text.encode()
