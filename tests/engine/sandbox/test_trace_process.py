"""The engine's side of the listener: it ends when it is told to, whatever the listener says meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from engine.sandbox.drivers.docker.trace_process import TraceProcess


async def test_a_listener_that_answers_as_it_is_cancelled_ends() -> None:
    """`asyncio.wait_for` of Python 3.11 returns the answer instead, and the task goes on."""
    process = TraceProcess()
    running = asyncio.create_task(process.run())
    async with asyncio.timeout(20):
        await process.ready.wait()
    started = process._process
    assert started is not None
    assert started.stdout is not None
    started.stdout.feed_data(b"{}\n")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(10):
            await running
    assert (False, True) == (started.returncode is None, running.cancelled())
