"""What the rules of retention do not keep is erased without being asked for."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Event, InputFile, Status
from engine.settings import HistorySettings
from tests.engine.core.conftest import EngineMaker
from tests.engine.history.conftest import build_case


async def test_an_engine_erases_what_its_rules_do_not_keep(engine_with: EngineMaker, home: Path) -> None:
    """A history over its size is brought below it as the engine starts, and says by which rule."""
    noise = InputFile(name=Untrusted("noise"), content=random.Random(1).randbytes(2_000_000))  # noqa: S311
    log = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    case = build_case("s-old", files=(noise,), status=Status.DENIED)
    await log.append("claim.created", "s-old", Untrusted("alice"), {}, case=case)
    await log.close()
    async with (
        engine_with(history=HistorySettings(retain_mb=1, retain_newest_seconds=0)) as engine,
        asyncio.timeout(60),
    ):
        erased = await _first(engine.queries.events(0), "history.erased")
        assert "more than 1 MB" == erased.data["rule"]
        assert (await engine.queries.verify()).intact


async def _first(events: AsyncGenerator[Event, None], type: str) -> Event:
    async with contextlib.aclosing(events):
        async for event in events:
            if event.type == type:
                return event
    raise AssertionError(type)
