"""A process that appends to one chain beside others for some seconds, and says how much it has appended.

It opens the history, says so, waits for a line with what to do, and answers with a number and its CPU time.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.store.open import open_history
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
BATCH = 500


async def main(url: str, path: Path, name: str) -> None:
    """Append as told, until nothing is asked for any more."""
    settings = HistorySettings(database=url, engines="several", engine_name=name)
    log = await open_history(settings, path, None)
    os.write(1, b"open\n")
    while line := await asyncio.to_thread(sys.stdin.readline):
        kind, tasks, seconds = line.split()
        begun = time.process_time()
        done = await _append(log, kind, int(tasks), time.monotonic() + float(seconds))
        os.write(1, f"{done} {time.process_time() - begun:.3f}\n".encode())
    await log.close()


async def _append(log: HistoryStore, kind: str, tasks: int, until: float) -> int:
    """Append from so many tasks until that moment; return how many events were answered."""
    work = _singles if kind == "single" else _batches
    return sum(await asyncio.gather(*(work(log, until) for _ in range(tasks))))


async def _singles(log: HistoryStore, until: float) -> int:
    done = 0
    while time.monotonic() < until:
        await log.append("history.viewed", "", ALICE, {"n": done})
        done += 1
    return done


async def _batches(log: HistoryStore, until: float) -> int:
    done = 0
    while time.monotonic() < until:
        await log.append_many(("history.viewed", "", ALICE, {"n": number}) for number in range(BATCH))
        done += BATCH
    return done


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
