"""`kill -9` at any moment loses nothing that was answered."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings

WRITER = Path(__file__).with_name("crash_writer.py")
KILLS = 50
LEAST = 10
LONGEST = 40.0
"""Seconds after which no further writer is started: a loaded machine makes do with fewer than 50."""


async def test_fifty_kills_lose_no_answered_event(path: Path, settings: HistorySettings) -> None:
    """After up to 50 kills under load every answered event is there, with its case, in one unbroken chain."""
    chance = random.Random(1)  # noqa: S311  seeded, so that a failure comes again
    told: dict[int, tuple[str, str]] = {}
    begun, lives = time.monotonic(), 0
    while lives < KILLS and (lives < LEAST or time.monotonic() - begun < LONGEST):
        lives += 1
        told |= write_and_kill(path, str(lives), answers=chance.randrange(1, 200))
    log = await SqliteHistoryStore.open(path, settings)
    kept = {event.seq: (event.hash, event.subject) for event in await log.read.events(limit=1_000_000)}
    cases = {case.submission.id for case in await log.read.open_cases()}
    verification = await log.verify()
    await log.close()
    assert set() == told.items() - kept.items()
    assert set() == {subject for _, subject in told.values()} - cases
    assert (True, "") == (verification.intact, verification.problem)
    assert lives < len(told)


def write_and_kill(path: Path, life: str, answers: int) -> dict[int, tuple[str, str]]:
    """Start a writer, kill it after so many answers, and return all answers that it got out."""
    command = [sys.executable, str(WRITER), str(path), life]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(answers)]
        writer.kill()
        lines += writer.stdout.readlines()
    told = [line.decode().split() for line in lines if line.endswith(b"\n")]
    return {int(seq): (digest, subject) for seq, digest, subject in told}
