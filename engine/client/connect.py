"""Connects to the engine, and starts one if none answers."""

from __future__ import annotations

import asyncio
import os
import subprocess

from engine import locations
from engine.client.client import Client, Problem
from engine.client.environment import ENGINE, client_from_environment
from engine.client.start_lock import check_end, is_alive, no_answer, start_engine

START_SECONDS = 120.0
"""How long an engine that lives may take until it answers."""
PROBE_SECONDS = 0.05
STOPPED = "The engine was stopped"


async def connect(requester: str = "") -> Client:
    """Return a client of the engine, after starting one if none answers.

    Raises:
        Problem: the engine did not start; the message has the last line of its log.
    """
    client = client_from_environment(requester)
    await ensure_engine(client)
    return client


async def reconnect(requester: str = "") -> Client:
    """Return a client as `connect` does, but start no engine in place of one that somebody stopped.

    Raises:
        Problem: it was stopped, or the engine did not start.
    """
    client = client_from_environment(requester)
    stopped = not os.environ.get(ENGINE) and locations.stopped().exists()
    if stopped and not await _answers(client):
        raise Problem(503, STOPPED, hint="Type: pratique serve, or open the console again")
    await ensure_engine(client)
    return client


async def ensure_engine(client: Client) -> None:
    """Start a local engine if none answers; a remote engine is never started.

    Raises:
        Problem: the engine did not start.
    """
    if not os.environ.get(ENGINE) and not await _answers(client):
        await _start(client)


async def _start(client: Client) -> None:
    """Start an engine, or wait for the one that somebody else starts, for as long as that one lives."""
    log = locations.state() / "engine.log"
    started: subprocess.Popen[bytes] | None = None
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await _answers(client):
                if not is_alive(started):
                    check_end(started, log)
                    started = start_engine(log)
                await asyncio.sleep(PROBE_SECONDS)
    except TimeoutError:
        raise no_answer(log, START_SECONDS) from None


async def _answers(client: Client) -> bool:
    try:
        await client.health()
    except Problem as problem:
        if problem.status != 503:
            raise
        return False
    return True
