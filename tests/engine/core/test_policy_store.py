"""The policy in force, from one save of its file to the next."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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
    keeper = PolicyStore(PolicySettings(deadlines=DEADLINES), file, bus)
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
        assert load(deadlines=DEADLINES).hash == keeper.current.hash
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


async def test_a_policy_that_is_broken_at_the_start_leaves_the_shipped_one(
    bus: EventBus, tmp_path: Path
) -> None:
    """An engine whose policy file cannot be used holds to the shipped rules, and says so."""
    file = tmp_path / "policy.yaml"
    file.write_text(BROKEN)
    async with kept(bus, file) as (keeper, events):
        assert "policy.refused" == (await anext(events)).type
        assert load(deadlines=DEADLINES).hash == keeper.current.hash
        assert not keeper.check().ok
