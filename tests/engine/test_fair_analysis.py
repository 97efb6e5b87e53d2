"""Analysis workers are shared out fairly: slow code of one requester holds up nobody else."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from engine.analysis_pool import LEAST_WORKERS, AnalysisPool
from engine.common.fair_slots import FairSlots
from engine.models import Language
from engine.settings import AnalysisSettings

SLOW = "x = [1, 2, (3, 4)]\n" * 60_000
"""Takes longer than the deadline below: its worker is killed, and reads a part of it again."""


@pytest.fixture
async def pool() -> AsyncIterator[AnalysisPool]:
    """Yield two warm workers."""
    pool = AnalysisPool(AnalysisSettings(deadline_seconds=1.5, max_bytes=1 << 23), workers=LEAST_WORKERS)
    await pool.start()
    yield pool
    await pool.close()


async def test_one_requesters_slow_files_do_not_hold_up_anothers_small_one(pool: AnalysisPool) -> None:
    """Ten slow files wait for their turn, and a small one of somebody else is analysed before the second."""
    slow = [asyncio.create_task(pool.analyse(SLOW, Language.PYTHON, "mallory")) for _ in range(10)]
    await asyncio.sleep(0)
    assert (await pool.analyse("print(1)", Language.PYTHON, "alice")).complete
    assert [] == [task for task in slow if task.done()]
    for task in slow:
        task.cancel()
    await asyncio.wait(slow)


async def test_a_killed_worker_of_one_leaves_the_other_requesters_alone(pool: AnalysisPool) -> None:
    """The code in the killed worker is incomplete; code of others is complete, then and afterwards."""
    asking = asyncio.create_task(pool.analyse(SLOW, Language.PYTHON, "mallory"))
    while pool._idle.qsize() == LEAST_WORKERS:
        await asyncio.sleep(0.01)
    busy = next(one for one in pool._workers if one not in pool._idle._queue)  # type: ignore[attr-defined]
    assert busy._process is not None
    os.kill(busy._process.pid, signal.SIGKILL)
    assert (await pool.analyse("print(1)", Language.PYTHON, "alice")).complete
    assert not (await asking).complete
    assert (await pool.analyse("print(1)", Language.PYTHON, "mallory")).complete


async def test_an_analysis_that_was_given_up_leaves_its_slot(pool: AnalysisPool) -> None:
    """Of twenty that wait and are cancelled none keeps a worker from the next one."""
    waiting = [asyncio.create_task(pool.analyse("print(1)", Language.PYTHON, "mallory")) for _ in range(20)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    assert (await pool.analyse("print(1)", Language.PYTHON, "mallory")).complete


async def test_waiting_names_are_served_in_turn() -> None:
    """One that came with many is served as often as each of the others, and in its own order."""
    slots, order = FairSlots(1, 1), list[str]()

    async def use(name: str, number: int) -> None:
        async with slots.slot(name):
            order.append(f"{name}{number}")
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for number in range(3):
            group.create_task(use("m", number))
        for name in "abc":
            group.create_task(use(name, 0))
    assert ["m0", "m1", "a0", "b0", "c0", "m2"] == order


async def test_one_name_never_has_every_slot() -> None:
    """With three slots a flood of one name holds two of them; the third is free for whoever comes."""
    slots, held, most = FairSlots(3, 2), 0, 0

    async def use(name: str) -> None:
        nonlocal held, most
        async with slots.slot(name):
            held += name == "m"
            most = max(most, held)
            await asyncio.sleep(0.001)
            held -= name == "m"

    async with asyncio.TaskGroup() as group:
        for _ in range(30):
            group.create_task(use("m"))
            group.create_task(use("a"))
    assert (2, 0) == (most, held)
