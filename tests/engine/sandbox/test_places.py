"""Spare sandboxes are made only where nothing that is needed waits for their place."""

from __future__ import annotations

import asyncio

import pytest

from engine.sandbox.run.ready.places import Places


async def created() -> str:
    """Create something."""
    return "sandbox"


async def test_what_has_place_is_made() -> None:
    """Nothing gave way."""
    places = Places()
    assert ("sandbox", False) == (await places.make(created), places.full)


async def test_none_is_made_after_one_gave_way() -> None:
    """Its creation does not even begin."""
    places = Places()
    places.give_way()
    assert (None, True) == (await places.make(created), places.full)


async def test_one_that_is_being_made_gives_way() -> None:
    """Its creation is cancelled and cleans up; whoever waits for it goes on."""
    places, begun, cleaned = Places(), asyncio.Event(), asyncio.Event()

    async def endless() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()
        return "sandbox"

    making = asyncio.create_task(places.make(endless))
    await begun.wait()
    places.give_way()
    assert (None, True) == (await making, cleaned.is_set())


async def test_one_that_is_being_removed_is_left_alone() -> None:
    """That it should give way is said again and again, until what is needed has its place."""
    places, begun, goes_on, cleaned = Places(), asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slowly_removed() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await goes_on.wait()
            cleaned.set()
        return "sandbox"

    making = asyncio.create_task(places.make(slowly_removed))
    await begun.wait()
    for _ in range(3):
        places.give_way()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    goes_on.set()
    assert (None, True) == (await making, cleaned.is_set())


async def test_a_creation_that_takes_too_long_by_itself_has_not_given_way() -> None:
    """Its own deadline is told as ever."""

    async def late() -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await Places().make(late)


async def test_a_cancellation_from_outside_is_one() -> None:
    """An engine that ends while one is made waits for nothing."""
    places = Places()
    making = asyncio.create_task(places.make(asyncio.Event().wait))
    await asyncio.sleep(0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert "sandbox" == await places.make(created)
