"""An engine that stands by takes over when the one that writes the history in PostgreSQL dies."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Status
from tests.engine_process import EngineProcess
from tests.postgres_server import server

TAKEOVER_SECONDS = 10.0
COPIED = ("pratique.key", "keys")


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[tuple[EngineProcess, EngineProcess]]:
    """Yield an engine, and one beside it that stands by."""
    url = server().database(f"of_{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:16]}")
    homes = [tmp_path / name for name in ("a", "b")]
    for home in homes:
        home.mkdir(mode=0o700)
    settings = {"PRATIQUE_HISTORY__DATABASE": url, "PRATIQUE_HISTORY__CHECKPOINT_EVENTS": "5"}
    first, second = (
        EngineProcess(home, **settings, PRATIQUE_HISTORY__STANDBY="true", XDG_DATA_HOME=str(home / "data"))
        for home in homes
    )
    second.command = [str(Path(sys.executable).with_name("pratique")), "serve"]
    first.start()
    for name in COPIED:
        source = first.home / name
        if source.is_dir():
            shutil.copytree(source, second.home / name)
        elif source.exists():
            shutil.copy(source, second.home / name)
    yield first, second
    for engine in (first, second):
        engine.end(signal.SIGKILL)


def submit(engine: EngineProcess, code: str) -> str:
    """Submit at an engine, and return the id."""

    async def work() -> str:
        async with engine.client("agent") as client:
            case = await client.submit(Draft(code=Untrusted(code), language=Language.PYTHON))
            return case.submission.id

    return asyncio.run(work())


def deny(engine: EngineProcess, id: str) -> Status:
    """Deny a submission at an engine, and return what became of it."""

    async def work() -> Status:
        async with engine.client("bob") as client:
            case = await client.case(id)
            await client.decide(id, DecisionOutcome.DENIED, case.submission.digest, "no")
            return (await client.case(id)).status

    return asyncio.run(work())


def test_what_waited_at_a_dead_engine_is_decided_at_the_next(
    engines: tuple[EngineProcess, EngineProcess],
) -> None:
    """Meanwhile the second serves nothing; afterwards it has every submission, and one intact history."""
    first, second = engines
    before = [submit(first, f"print({number})") for number in range(3)]
    assert Status.DENIED is deny(first, before[0])
    waiting = threading.Thread(target=second.start)
    waiting.start()
    log = second.home / "test.log"
    deadline = time.monotonic() + 120
    while not log.exists() or b"engine.standby" not in log.read_bytes():
        waiting.join(0.05)
        assert time.monotonic() < deadline
    assert not second.listens()
    killed = time.monotonic()
    first.end(signal.SIGKILL)
    waiting.join()
    assert time.monotonic() - killed < TAKEOVER_SECONDS
    assert Status.DENIED is deny(second, before[1])
    after = submit(second, "print('after')")

    async def seen() -> tuple[set[str], bool]:
        async with second.client("bob") as client:
            return {one.id for one in await client.queue()}, (await client.history.verify()).intact

    assert ({before[2], after}, True) == asyncio.run(seen())
