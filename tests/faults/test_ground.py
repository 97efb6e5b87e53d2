"""The ground under a real engine: a disk that is really full, and a state folder that goes or comes back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Status
from tests.engine_process import EngineProcess

MEGABYTES = 24
SECONDS = 30.0
TOLD_SECONDS = 5.0
RECOVERED_SECONDS = 10.0
LEVELS = '{"medium": %s, "high": %s, "critical": %s}'
DRAFT = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
ROWS = ("recording", "state folder", "disk reserve")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a small disk of its own; only root can mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=0700", "pratique-test", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextlib.contextmanager
def running(home: Path, seconds: float) -> Iterator[EngineProcess]:
    """Run an engine without Docker, whose submissions wait for so many seconds."""
    process = EngineProcess(
        home,
        PRATIQUE_POLICY__DEADLINES=LEVELS % (seconds, seconds, seconds),
        DOCKER_HOST=f"unix://{home}/none",
    )
    process.start()
    try:
        yield process
    finally:
        process.end()


def fill(folder: Path) -> Path:
    """Take every byte of a disk, also those that are given up a moment later."""
    filler = folder / "filler"
    with filler.open("ab") as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
            file.flush()
    return filler


async def red(client: Client) -> set[str]:
    """Return the failing rows of Health that tell about disk, state folder and tasks."""
    checks = (await client.health()).checks
    return {one.name for one in checks if not one.ok and (one.name in ROWS or "task:" in one.name)}


async def until(holds: Callable[[], Awaitable[object]], seconds: float = SECONDS) -> float:
    """Wait for a condition, and return after how many seconds it held."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not await holds():
            await asyncio.sleep(0.05)
    return time.monotonic() - began


async def _well(client: Client) -> bool:
    return not await red(client)


async def _status(client: Client, id: str) -> Status:
    return (await client.case(id)).status


async def test_a_deadline_passes_on_a_full_disk_and_the_engine_goes_on(disk: Path) -> None:
    """One submission waits, the disk fills, its deadline passes: the engine lives, says so and recovers."""
    with running(disk, 3) as process:
        async with process.client("agent") as client:
            waiting = await client.submit(DRAFT)
            filler = fill(disk)
            (disk / "reserve").unlink(missing_ok=True)
            fill(disk)
            told = await until(lambda: red(client), TOLD_SECONDS + 3)
            with pytest.raises(Problem) as refused:
                await client.submit(DRAFT)
            assert (503, True) == (refused.value.status, bool(refused.value.hint))
            await asyncio.sleep(max(0.0, 3.5 - told))
            assert (await client.health()).checks
            filler.unlink()
            assert await until(lambda: _well(client)) < RECOVERED_SECONDS
            await until(lambda: _expired(client, waiting.submission.id))
            assert Status.PENDING is (await client.submit(DRAFT)).status


async def _expired(client: Client, id: str) -> bool:
    return await _status(client, id) is Status.EXPIRED


async def test_decisions_are_recorded_on_a_full_disk_and_new_work_is_refused(disk: Path) -> None:
    """The reserve is given up to them; once there is space again it is taken again."""
    with running(disk, 60) as process:
        async with process.client("agent") as client:
            waiting = [await client.submit(DRAFT) for _ in range(3)]
            filler = fill(disk)
            for case in waiting:
                await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest)
            with pytest.raises(Problem, match=r"full|takes no records"):
                await client.submit(DRAFT)
            assert not (disk / "reserve").exists()
            filler.unlink()
            await until(lambda: _well(client), RECOVERED_SECONDS)
            await until(lambda: asyncio.to_thread((disk / "reserve").exists))
            for case in waiting:
                assert Status.DENIED is await _status(client, case.submission.id)


async def test_an_engine_stops_and_starts_again_after_a_full_disk(disk: Path) -> None:
    """What waited is there again; a stop does not hang."""
    with running(disk, 60) as process:
        async with process.client("agent") as client:
            id = (await client.submit(DRAFT)).submission.id
        filler = fill(disk)
        began = time.monotonic()
        assert 0 == process.end()
        assert time.monotonic() - began < SECONDS
    filler.unlink()
    with running(disk, 60) as process:
        async with process.client("agent") as client:
            assert Status.PENDING is await _status(client, id)


@pytest.fixture
async def lost(tmp_path: Path) -> AsyncIterator[tuple[EngineProcess, Client, Path]]:
    """Yield an engine, a client that is connected, and its state folder."""
    home = tmp_path / "h"
    home.mkdir()
    with running(home, 60) as process:
        async with process.client("agent") as client:
            await client.submit(DRAFT)
            yield process, client, home


def _away(home: Path) -> None:
    home.rename(home.with_name("away"))


def _replaced(home: Path) -> None:
    _away(home)
    home.mkdir()


def _copied(home: Path) -> None:
    _away(home)
    shutil.copytree(home.with_name("away"), home, ignore=shutil.ignore_patterns("*.sock"))


def _history_copied(home: Path) -> None:
    shutil.copy(home / "pratique.db", home / "copy")
    (home / "copy").rename(home / "pratique.db")


def _linked(home: Path) -> None:
    _replaced(home)
    (home / "pratique.db").symlink_to("/dev/null")


LOSSES: dict[str, Callable[[Path], object]] = {
    "folder moved away": _away,
    "folder removed": shutil.rmtree,
    "folder replaced": _replaced,
    "folder replaced by a copy": _copied,
    "history removed": lambda home: (home / "pratique.db").unlink(),
    "history replaced": _history_copied,
    "log of writes removed": lambda home: (home / "pratique.db-wal").unlink(),
    "link in its place": _linked,
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_lost_state_folder_is_told_and_nothing_is_answered_that_is_lost(
    lost: tuple[EngineProcess, Client, Path], loss: str
) -> None:
    """Health is red within seconds, and what nobody would find again is refused from the first request on."""
    _, client, home = lost
    LOSSES[loss](home)
    with pytest.raises(Problem) as refused:
        await client.submit(DRAFT)
    named = any(word in str(refused.value) for word in ("removed", "replaced"))
    assert (503, True) == (refused.value.status, named)
    assert await until(lambda: _is_lost(client), TOLD_SECONDS) < TOLD_SECONDS
    (row,) = [one for one in (await client.health()).checks if one.name == "state folder"]
    assert str(home) in row.hint


async def _is_lost(client: Client) -> bool:
    return "state folder" in await red(client)


async def test_a_state_folder_that_comes_back_is_used_again(lost: tuple[EngineProcess, Client, Path]) -> None:
    """Moved away and back: all is well again by itself."""
    _, client, home = lost
    home.rename(home.with_name("away"))
    await until(lambda: _is_lost(client), TOLD_SECONDS)
    home.with_name("away").rename(home)
    assert await until(lambda: _well(client)) < RECOVERED_SECONDS
    assert Status.PENDING is (await client.submit(DRAFT)).status
