"""A process that is one of several engines with one place, and that is killed at a moment of its first claim.

It says `up`, and `x CODE` for code that starts.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.history.store.postgres.engines import PostgresEngines
from engine.settings import AnalysisSettings
from tests.engine.core.several_engines import started
from tests.faults.one_of_several import SaidStarts, say

MOMENTS = ("before", "during", "claimed", "started")


def die() -> None:
    """End as by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


class DyingStarts(SaidStarts):
    """Dies once code has started, which it says first."""

    def __setitem__(self, code: bytes, count: int) -> None:
        super().__setitem__(code, count)
        die()


def die_at(moment: str) -> None:
    """Let this process die before its first claim, while the claim is on its way, or right after it."""
    claim = PostgresEngines.claim

    async def dying(engines: PostgresEngines, ids: Sequence[str]) -> tuple[str, ...]:
        if moment == "before":
            die()
        claiming = asyncio.create_task(claim(engines, ids))
        if moment == "during":
            await asyncio.sleep(0)
            die()
        claimed = await claiming
        if moment == "claimed" and claimed:
            die()
        return claimed

    PostgresEngines.claim = dying  # type: ignore[method-assign, assignment]


async def main(url: str, folder: Path, moment: str) -> None:
    """Be an engine until it dies."""
    die_at(moment)
    pool = AnalysisPool(AnalysisSettings())
    async with started(url, folder, "b", pool, concurrent=1) as one:
        one.machine.executed = DyingStarts() if moment == "started" else SaidStarts()
        say("up")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
