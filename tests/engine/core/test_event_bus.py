"""What followers of events get, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.common.supervisor import Supervisor
from engine.core.history.event_bus import EventBus
from engine.core.queue import InProcessQueue
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Event
from engine.settings import HistorySettings, ServerSettings


async def test_a_follower_gets_an_event_once_its_engine_can_act_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on disk, and not yet announced, is held back: its case would still be the one before."""
    log = await SqliteHistoryStore.open(tmp_path / "pratique.db", HistorySettings())
    bus = EventBus(log, InProcessQueue(ServerSettings()), Supervisor())
    append, read, order = log.append, log.read.events, list[str]()
    written, found = asyncio.Event(), asyncio.Event()

    async def returns_late(*given: Any, **words: Any) -> Event:
        event = await append(*given, **words)
        written.set()
        await found.wait()
        return event

    async def watched(**words: Any) -> Sequence[Event]:
        page = await read(**words)
        if page:
            found.set()
        return page

    async def follow() -> None:
        await written.wait()
        await anext(bus.follow(0))
        order.append("followed")

    monkeypatch.setattr(log, "append", returns_late)
    monkeypatch.setattr(log.read, "events", watched)
    following = asyncio.create_task(follow())
    await bus.record("engine.stopped")
    order.append("acted")
    await following
    assert ["acted", "followed"] == order
    await log.close()
