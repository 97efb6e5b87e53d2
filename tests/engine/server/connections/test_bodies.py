"""Bodies that come slowly, never end, or are too many."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message

from engine.server.http.middleware import body as bodies
from engine.server.http.middleware.body import BodyLimits, BoundedBody

MOST = 1 << 20


def part(size: int, more: bool = True) -> Message:
    """Return a part of a body."""
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


class Sender:
    """A client that sends parts, each after a pause, and then nothing."""

    def __init__(self, *parts: tuple[float, Message]) -> None:
        self._parts = list(parts)

    async def receive(self) -> Message:
        """Return the next part."""
        if not self._parts:
            await asyncio.get_running_loop().create_future()
        pause, message = self._parts.pop(0)
        await asyncio.sleep(pause)
        return message


async def read(body: BoundedBody) -> int:
    """Read a body to its end, and return its size."""
    size = 0
    while True:
        message = await body.receive()
        if message["type"] == "http.disconnect":
            return size
        size += len(message["body"])
        if not message["more_body"]:
            return size


@pytest.mark.parametrize(
    "parts",
    [
        (),
        ((0.0, part(1)),),
        ((0.0, part(0)), (0.0, part(0))),
        tuple((0.02, part(1)) for _ in range(1000)),
        tuple((0.02, part(0)) for _ in range(1000)),
        ((0.0, part(MOST)),),
        ((0.0, part(1000)), (10.0, part(1, more=False))),
    ],
    ids=[
        "nothing",
        "one byte",
        "empty parts",
        "a byte at a time",
        "nothing at a time",
        "all but the end",
        "late end",
    ],
)
async def test_a_body_that_does_not_end_is_refused(
    monkeypatch: pytest.MonkeyPatch, parts: tuple[tuple[float, Message], ...]
) -> None:
    """Pauses and trickles end in 408 within bounded time."""
    monkeypatch.setattr(bodies, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(bodies, "LEAST_BYTES_PER_SECOND", 8 * MOST)
    body = BoundedBody(Sender(*parts).receive, BodyLimits(MOST), "t-1")
    await asyncio.wait_for(read(body), 30)
    assert body.refusal
    assert 408 == body.refusal.status
    assert body.refusal.hint


async def test_a_body_that_keeps_coming_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What arrives fast enough is read, however long it takes in all."""
    monkeypatch.setattr(bodies, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(bodies, "LEAST_BYTES_PER_SECOND", 1000)
    parts = [(0.05, part(1000)) for _ in range(8)]
    body = BoundedBody(Sender(*parts, (0.0, part(0, more=False))).receive, BodyLimits(MOST), "t-1")
    assert 8000 == await asyncio.wait_for(read(body), 30)
    assert body.refusal is None


async def test_an_engine_that_is_slow_to_ask_blames_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a body is counted from when it is first read."""
    monkeypatch.setattr(bodies, "QUIET_SECONDS", 0.2)
    parts = ((0.05, part(1)), (0.05, part(1, more=False)))
    body = BoundedBody(Sender(*parts).receive, BodyLimits(MOST), "t-1")
    await asyncio.sleep(0.4)
    assert 2 == await asyncio.wait_for(read(body), 30)
    assert body.refusal is None


async def test_a_caller_has_so_many_unfinished_bodies() -> None:
    """One more is refused at once; another caller is not held up, and one that ends gives its place back."""
    limits = BodyLimits(MOST)
    waiting = [BoundedBody(Sender().receive, limits, "t-1") for _ in range(bodies.UNFINISHED_EACH)]
    tasks = [asyncio.create_task(read(one)) for one in waiting]
    await asyncio.sleep(0)
    more = BoundedBody(Sender().receive, limits, "t-1")
    await read(more)
    assert more.refusal
    assert 429 == more.refusal.status
    other = BoundedBody(Sender((0.0, part(5, more=False))).receive, limits, "t-2")
    assert 5 == await read(other)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    again = BoundedBody(Sender((0.0, part(5, more=False))).receive, limits, "t-1")
    assert 5 == await read(again)


async def test_bodies_of_all_callers_are_bounded_together() -> None:
    """Many large bodies are refused with 503 until one is answered."""
    limits = BodyLimits(MOST)
    held = [
        BoundedBody(Sender((0.0, part(MOST, more=False))).receive, limits, f"t-{n}")
        for n in range(bodies.HELD_REQUESTS)
    ]
    for one in held:
        assert await read(one) == MOST
    more = BoundedBody(Sender((0.0, part(1, more=False))).receive, limits, "t-x")
    await read(more)
    assert more.refusal
    assert 503 == more.refusal.status
    held[0].release()
    held[0].release()
    again = BoundedBody(Sender((0.0, part(MOST, more=False))).receive, limits, "t-x")
    assert await read(again) == MOST


@pytest.mark.parametrize(("size", "status"), [(10, 0), (11, 413), (1000, 413)])
async def test_a_body_over_the_limit_is_too_large(size: int, status: int) -> None:
    """The limit of one body is the setting, exactly."""
    body = BoundedBody(Sender((0.0, part(size, more=False))).receive, BodyLimits(10), "")
    await read(body)
    assert status == (body.refusal.status if body.refusal else 0)
