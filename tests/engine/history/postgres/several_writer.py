"""A process that appends to one chain beside others, until it is killed.

It says what was answered: number, hash and subject of each record.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError
from engine.history.store.open import open_history
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

WRITERS = 4
AGAIN_SECONDS = 0.1


async def main(url: str, path: Path, life: str) -> None:
    """Append from several tasks at once, for ever."""
    settings = HistorySettings(database=url, engines="several", batch_milliseconds=5, checkpoint_events=50)
    log = await open_history(settings, path, None)
    async with asyncio.TaskGroup() as tasks:
        for number in range(WRITERS):
            tasks.create_task(_write(log, f"{life}-{number}"))


async def _write(log: HistoryStore, name: str) -> None:
    """Claim and release, over and over; what is refused is left."""
    count = 0
    while True:
        count += 1
        case = build_case(f"{name}-{count}")
        try:
            for type in ("claim.created", "claim.released"):
                event = await log.append(type, case.submission.id, Untrusted("a"), {}, case=case)
                os.write(1, f"{event.seq} {event.hash} {case.submission.id}\n".encode())
        except HistoryError:
            await asyncio.sleep(AGAIN_SECONDS)


asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
