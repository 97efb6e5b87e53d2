"""Submissions that engines offer to all: one engine at most has each, and only one that lives takes any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from engine.common.text import Untrusted
from engine.history.api import Engines
from engine.history.store.postgres.connection import CHANNEL
from engine.history.store.sql.store import SqlHistoryStore
from tests.engine.history.conftest import build_case
from tests.engine.history.postgres.several_engines import all_opened, database_of

IDS = [f"s-{number:03}" for number in range(100)]


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[list[SqlHistoryStore]]:
    """Yield the stores of three engines; all submissions are with the first."""
    async with all_opened(database_of(tmp_path), tmp_path, 3) as made:
        for id in IDS:
            await made[0].append("claim.created", id, Untrusted("a"), {}, case=build_case(id))
        yield made


def of(store: SqlHistoryStore) -> Engines:
    """Return the engines by the store of one of them."""
    assert store.engines
    return store.engines


async def test_of_all_who_claim_at_once_one_gets_each(stores: list[SqlHistoryStore]) -> None:
    """What one engine got, no other one did, and it is with that engine."""
    for id in IDS:
        await of(stores[0]).offer(id)
    assert IDS == sorted(await of(stores[1]).offered())
    claims = [(store, IDS[at : at + 10]) for at in range(0, 100, 10) for store in stores]
    taken = await asyncio.gather(*(of(store).claim(ids) for store, ids in claims))
    got = [(id, of(store).name) for (store, _), ids in zip(claims, taken, strict=True) for id in ids]
    assert IDS == sorted(id for id, _ in got)
    assert dict(got) == await of(stores[0]).places()


async def test_only_the_engine_that_has_it_offers_it(stores: list[SqlHistoryStore]) -> None:
    """What another engine has stays with it; what is claimed is offered no longer, and may be given back."""
    first, second, _ = map(of, stores)
    await second.offer(IDS[0])
    assert () == await first.offered()
    assert () == await second.claim(IDS[:1])
    await first.offer(IDS[0])
    await first.offer(IDS[0])
    assert (IDS[0],) == await second.claim(IDS[:2])
    await first.offer(IDS[0])
    assert () == await first.offered()
    await second.offer(IDS[0])
    assert (IDS[0],) == await first.claim(IDS[:1])


async def test_an_engine_that_others_took_over_from_takes_none(stores: list[SqlHistoryStore]) -> None:
    """Its claim gets nothing, and what is offered is there for those that live."""
    first, second, third = map(of, stores)
    await first.offer(IDS[0])
    beats = {peer.name: peer.beat for peer in await first.beat("")}
    await first.fence(second.name, beats[second.name])
    assert () == await second.claim(IDS[:1])
    assert (IDS[0],) == await third.claim(IDS[:1])


async def test_an_offer_ends_with_the_submission(stores: list[SqlHistoryStore]) -> None:
    """What is over nobody can claim."""
    first, second, _ = map(of, stores)
    await first.offer(IDS[0])
    case = build_case(IDS[0])
    over = case.model_copy(update={"status": "denied"})
    await stores[0].append("claim.released", IDS[0], Untrusted("a"), {}, case=over)
    assert ((), ()) == (await first.offered(), await second.claim(IDS[:1]))


async def test_an_offer_is_told_to_all(stores: list[SqlHistoryStore], tmp_path: Path) -> None:
    """It is on the channel that all engines listen to; one that changes nothing is not."""
    async with await psycopg.AsyncConnection.connect(database_of(tmp_path), autocommit=True) as link:
        await link.execute(f"LISTEN {CHANNEL}")
        await of(stores[1]).offer(IDS[0])
        await of(stores[0]).offer(IDS[0])
        assert [CHANNEL] == [told.channel async for told in link.notifies(timeout=10, stop_after=1)]
