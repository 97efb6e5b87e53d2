"""The policy in force, from one save of its file to the next."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.core.config.policy_store import PolicyStore
from engine.core.history.event_bus import EventBus
from engine.core.queue import InProcessQueue
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Event, Level
from engine.policy import load
from engine.settings import HistorySettings, PolicySettings, ServerSettings

BROKEN = "rules:\n  - {id: network, rsik: low}\n"
DEADLINES = {Level.HIGH: 45.0}
SECONDS = 20


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncIterator[EventBus]:
    """Yield an event bus over a history of its own."""
    log = await SqliteHistoryStore.open(tmp_path / "pratique.db", HistorySettings())
    yield EventBus(log, InProcessQueue(ServerSettings()), Supervisor())
    await log.close()


@contextlib.asynccontextmanager
async def kept(bus: EventBus, file: Path) -> AsyncIterator[tuple[PolicyStore, AsyncIterator[Event]]]:
    """Yield a keeper at work and the events from its start on."""
    keeper = PolicyStore(PolicySettings(base="strict", deadlines=DEADLINES), file, bus)
    await keeper.start()
    events = bus.follow(0)
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(keeper.keep())
        async with asyncio.timeout(SECONDS):
            yield keeper, events
        keeping.cancel()


async def test_without_a_file_the_shipped_policy_is_in_force(bus: EventBus, tmp_path: Path) -> None:
    """The shipped rules hold, with the deadlines of the settings."""
    async with kept(bus, tmp_path / "policy.yaml") as (keeper, events):
        assert "policy.loaded" == (await anext(events)).type
        assert load(deadlines=DEADLINES, base="strict").hash == keeper.current.hash
        assert 45.0 == keeper.current.deadlines[Level.HIGH]
        assert keeper.check().ok


async def test_a_save_is_in_force_and_on_record(bus: EventBus, tmp_path: Path) -> None:
    """What is saved holds from then on, and its hash is recorded."""
    file = tmp_path / "policy.yaml"
    async with kept(bus, file) as (keeper, events):
        await anext(events)
        file.write_text("deadlines: {medium: 7}\n")
        event = await anext(events)
        assert ("policy.loaded", keeper.current.hash) == (event.type, event.data["policy"])
        assert 7.0 == keeper.current.deadlines[Level.MEDIUM]


async def test_a_broken_save_leaves_the_last_good_policy(bus: EventBus, tmp_path: Path) -> None:
    """The last good policy stays in force, the check says what is wrong where, and mending it ends that."""
    file = tmp_path / "policy.yaml"
    file.write_text("deadlines: {medium: 7}\n")
    async with kept(bus, file) as (keeper, events):
        good = keeper.current.hash
        await anext(events)
        file.write_text(BROKEN)
        event = await anext(events)
        assert ("policy.refused", good) == (event.type, event.data["in_force"])
        assert good == keeper.current.hash
        assert not keeper.check().ok
        assert f"{file}:2: unknown key `rsik`" in keeper.check().detail.text
        file.write_text("deadlines: {medium: 7}\n")
        assert "policy.loaded" == (await anext(events)).type
        assert keeper.check().ok


async def test_an_included_file_is_watched_too(bus: EventBus, tmp_path: Path) -> None:
    """Saving a file that the policy includes loads it again, from another folder as well."""
    below = tmp_path / "shared" / "below.yaml"
    below.parent.mkdir()
    below.write_text("deadlines: {medium: 7}\n")
    (tmp_path / "policy.yaml").write_text("include: shared/below.yaml\n")
    async with kept(bus, tmp_path / "policy.yaml") as (keeper, events):
        await anext(events)
        below.write_text("deadlines: {medium: 8}\n")
        await anext(events)
        assert 8.0 == keeper.current.deadlines[Level.MEDIUM]


def _broken(file: Path) -> None:
    file.write_text(BROKEN)


def _binary(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")


def _folder(file: Path) -> None:
    file.mkdir()


def _fifo(file: Path) -> None:
    os.mkfifo(file)


def _nowhere(file: Path) -> None:
    file.symlink_to(file.with_name("nowhere"))


def _loop(file: Path) -> None:
    file.symlink_to(file)


def _device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _huge(file: Path) -> None:
    file.touch()
    os.truncate(file, 20 << 30)


def _missing_part(file: Path) -> None:
    file.write_text("include: nowhere.yaml\n")


def _list(file: Path) -> None:
    file.write_text("- a\n")


def _file_as_folder(file: Path) -> None:
    file.parent.rmdir()
    file.parent.touch()


UNUSABLE = [
    _broken,
    _binary,
    _folder,
    _fifo,
    _nowhere,
    _loop,
    _device,
    _huge,
    _missing_part,
    _list,
    _file_as_folder,
]


@pytest.mark.parametrize("spoil", UNUSABLE)
async def test_nothing_starts_with_a_policy_that_cannot_be_used(
    bus: EventBus, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """The shipped policy does not silently take the place of one that is there: the engine does not start."""
    file = tmp_path / "own" / "policy.yaml"
    file.parent.mkdir()
    spoil(file)
    with pytest.raises(Problem, match="nothing starts") as raised:
        await PolicyStore(PolicySettings(base="strict"), file, bus).start()
    assert "pratique policy test" in raised.value.hint


@pytest.mark.parametrize("spoil", UNUSABLE[:-1])
async def test_a_policy_that_becomes_unusable_is_red_and_read_again(
    bus: EventBus, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """The last good policy stays in force, Health says what to type, and what is mended is in force again."""
    file = tmp_path / "policy.yaml"
    file.write_text("deadlines: {medium: 7}\n")
    async with kept(bus, file) as (keeper, events):
        good = keeper.current.hash
        await anext(events)
        file.unlink()
        spoil(file)
        while (event := await anext(events)).type != "policy.refused":
            pass
        assert (good, False) == (keeper.current.hash, keeper.check().ok) or event.data["in_force"] != good
        assert "pratique policy test" in keeper.check().hint
        file.rmdir() if file.is_dir() else file.unlink()
        file.write_text("deadlines: {medium: 9}\n")
        while keeper.current.deadlines[Level.MEDIUM] != 9.0:
            await anext(events)
        assert keeper.check().ok


UNREADABLE = """
import asyncio, os, sys
from pathlib import Path
from engine.common.supervisor import Supervisor
from engine.core.config.policy_store import PolicyStore
from engine.core.history.event_bus import EventBus
from engine.core.queue import InProcessQueue
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings, PolicySettings, ServerSettings

async def main(home: Path, which: Path) -> None:
    log = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    store = PolicyStore(PolicySettings(base="strict"), home / "own" / "policy.yaml",
                        EventBus(log, InProcessQueue(ServerSettings()), Supervisor()))
    await store.start()
    good = store.current.hash
    keeping = asyncio.create_task(store.keep())
    which.chmod(0)
    while store.check().ok:
        assert not keeping.done(), keeping.exception()
        await asyncio.sleep(0.05)
    assert good == store.current.hash
    which.chmod(0o700)
    while not store.check().ok:
        assert not keeping.done(), keeping.exception()
        await asyncio.sleep(0.05)
    which.chmod(0)
    other = PolicyStore(PolicySettings(base="strict"), home / "own" / "policy.yaml", store._events)
    try:
        await other.start()
    except Exception as error:
        print("refused", error)
    which.chmod(0o700)
    keeping.cancel()
    await log.close()

async def bounded() -> None:
    async with asyncio.timeout(30):
        await main(Path(sys.argv[1]), Path(sys.argv[2]))

asyncio.run(bounded())
"""


@pytest.mark.skipif(
    shutil.which("setpriv") is None, reason="root is bound by modes only without its capabilities"
)
@pytest.mark.parametrize("which", ["own", "own/policy.yaml"])
def test_an_unreadable_policy_ends_no_engine(tmp_path: Path, which: str) -> None:
    """A folder or file that nobody may read is red, is read again once it can be, and starts no engine."""
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "policy.yaml").write_text("deadlines: {medium: 7}\n")
    bound = "--bounding-set=-dac_override,-dac_read_search"
    command = ["setpriv", bound] if os.geteuid() == 0 else []
    ended = subprocess.run(
        [*command, sys.executable, "-c", UNREADABLE, str(tmp_path), str(tmp_path / which)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (0, True) == (ended.returncode, ended.stdout.startswith("refused the policy cannot be used")), (
        ended.stderr
    )
