"""Attach to the engine, starting one where none answers."""

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
"""Where it is set, the engine at this URL is spoken to, and none is started."""
TOKEN = "PRATIQUE_TOKEN"  # noqa: S105  the name of a variable


async def attach(requester: str = "") -> Client:
    """Return a client of the engine that answers here, after starting one where none does.

    Raises:
        Problem: the engine did not start; what it said last is in the message.
    """
    client = chosen(requester)
    await revive(client)
    return client


def chosen(requester: str = "") -> Client:
    """Return a client of the engine that the environment names, or else of this machine's own."""
    if url := os.environ.get(ENGINE):
        return Client(url, requester, token=os.environ.get(TOKEN, ""))
    return Client(requester=requester)


def by_token() -> bool:
    """Say whether the chosen engine knows who asks by a token, so that no other name may be given."""
    return bool(os.environ.get(ENGINE) and os.environ.get(TOKEN))


async def revive(client: Client) -> None:
    """Start an engine where none answers this client; another machine's engine is not ours to start.

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
    """Say whether an engine answers after all: one that somebody else started at the same moment."""
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
