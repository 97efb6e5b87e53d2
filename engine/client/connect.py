"""Connects to the engine, and starts one if none answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from engine import locations
from engine.client.client import Client, Problem

START_SECONDS = 20.0
PROBE_SECONDS = 0.05
OTHERS_PROBES = 40
ENGINE = "PRATIQUE_ENGINE"
"""If it is set, the client uses the engine at this URL and starts none."""
TOKEN = "PRATIQUE_TOKEN"  # noqa: S105  the name of a variable


async def connect(requester: str = "") -> Client:
    """Return a client of the engine, after starting one if none answers.

    Raises:
        Problem: the engine did not start; the message has the last line of its log.
    """
    client = client_from_environment(requester)
    await ensure_engine(client)
    return client


def client_from_environment(requester: str = "") -> Client:
    """Return a client of the engine that the environment names, otherwise of the local one."""
    if url := os.environ.get(ENGINE):
        return Client(url, requester, token=os.environ.get(TOKEN, ""))
    return Client(requester=requester)


async def ensure_engine(client: Client) -> None:
    """Start a local engine if none answers; a remote engine is never started.

    Raises:
        Problem: the engine did not start.
    """
    if not os.environ.get(ENGINE) and not await _answers(client):
        await _start(client)


async def _start(client: Client) -> None:
    log = locations.state() / "engine.log"
    with log.open("ab") as sink:
        engine = subprocess.Popen(  # noqa: ASYNC220  it only forks; the engine outlives this process
            [sys.executable, "-P", "-m", "engine.server.serve"],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await _answers(client):
                if engine.poll() is not None and not await _answers_soon(client):
                    raise Problem(503, f"the engine did not start: {_last_line(log)}", hint=f"Read {log}")
                await asyncio.sleep(PROBE_SECONDS)
    except TimeoutError:
        raise Problem(
            503, f"the engine did not answer within {START_SECONDS:g} s", hint=f"Read {log}"
        ) from None


async def _answers_soon(client: Client) -> bool:
    """Return whether another engine, started at the same moment, answers."""
    for _ in range(OTHERS_PROBES):
        if await _answers(client):
            return True
        await asyncio.sleep(PROBE_SECONDS)
    return False


async def _answers(client: Client) -> bool:
    try:
        await client.health()
    except Problem as problem:
        if problem.status != 503:
            raise
        return False
    return True


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().split("\n")
    return lines[-1][:300]
