"""Fair slots and queue positions."""

from __future__ import annotations

import asyncio

from engine.sandbox.run.scheduler import FairScheduler


async def test_slots_are_shared_fairly_by_principal() -> None:
    """A principal with many requests waits behind one with a single request."""
    slots, order = FairScheduler(1), list[str]()

    async def run(principal: str) -> None:
        async with slots.slot(principal):
            order.append(principal)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for principal in ["flood"] * 4 + ["one"]:
            group.create_task(run(principal))
    assert ["flood", "flood", "one", "flood", "flood"] == order


async def test_the_queue_position_is_reported() -> None:
    """With a free slot it is 0; behind five requests of another principal a first request is second."""
    slots = FairScheduler(1)
    assert 0 == slots.ahead("flood")
    async with slots.slot(""):
        pending = [asyncio.create_task(slots.slot("flood").__aenter__()) for _ in range(5)]
        await asyncio.sleep(0)
        assert (2, 6) == (slots.ahead("one"), slots.ahead("flood"))
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def test_the_estimated_wait_is_reported() -> None:
    """With a free slot there is none; otherwise a position and an estimate from recent slot times."""
    slots = FairScheduler(1)
    assert slots.queued("one") is None
    async with slots.slot(""):
        first = slots.queued("one")
    async with slots.slot(""):
        second = slots.queued("one")
    assert first is not None
    assert second is not None
    assert (1, 1) == (first.position, second.position)
    assert 0 < second.seconds < first.seconds


async def test_no_more_run_than_there_are_slots() -> None:
    """The limit holds, and cancelled requests do not lose slots."""
    slots, now, most = FairScheduler(3), 0, 0

    async def run() -> None:
        nonlocal now, most
        async with slots.slot(""):
            now += 1
            most = max(most, now)
            try:
                await asyncio.sleep(0)
            finally:
                now -= 1

    tasks = [asyncio.create_task(run()) for _ in range(40)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert 3 == most
    async with asyncio.timeout(5), slots.slot(""), slots.slot(""), slots.slot(""):
        assert 0 == slots.pending
