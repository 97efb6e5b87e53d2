"""Whether an engine runs on this machine, found by its process where it does not answer at its socket."""

from __future__ import annotations

import asyncio

from engine import locations
from engine.client.client import Client, Problem
from engine.client.engine_process import engine_process
from engine.common.text import Untrusted
from engine.models import Check

ANSWER_SECONDS = 5.0


async def engine_check() -> Check:
    """Return whether the engine of this user is as it should be: it answers, or there is none."""
    holder = engine_process()
    try:
        async with Client() as client, asyncio.timeout(ANSWER_SECONDS):
            await client.queue()
    except TimeoutError:
        return _silent(holder)
    except Problem as problem:
        if problem.status == 503 and holder is None:
            return _row("none is running; the console starts one")
        return _silent(holder) if holder else _row(problem.title, problem.hint)
    return _row(f"process {holder} answers" if holder else "answers")


def _silent(holder: int | None) -> Check:
    who = f"process {holder}" if holder else "an engine"
    return _row(f"{who} does not answer at {locations.socket()}", "Type: pratique stop")


def _row(detail: str, hint: str = "") -> Check:
    return Check(name="engine", ok=not hint, detail=Untrusted(detail), hint=hint)
