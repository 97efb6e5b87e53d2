"""Code, a file, a capability, the image: one changed after the approval, whatever the door."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.core import Engine
from engine.models import Case, DecisionOutcome, KillReason
from engine.server.http.app import create_app
from engine.server.http.authorization import CALLER, SOCKET_OWNER
from engine.server.inbox.inbox import watch_inbox
from tests.engine.core.conftest import EngineMaker
from tests.engine.core.test_bound_runs import ADA, AGENT, DRAFT, TAMPERED, tamper

pytestmark = pytest.mark.sandbox

SECONDS = 120
CHANGES = ("code", "file", "permission", "image")
HandIn = Callable[[Engine], Awaitable[Case]]

JOINS: dict[str, HandIn] = {
    "http": lambda engine: engine.intake.submit(DRAFT, AGENT, key=secrets.token_hex(8)),
    "mcp": lambda engine: engine.intake.submit(DRAFT, AGENT, join=True),
    "cli": lambda engine: engine.intake.submit(DRAFT, AGENT),
    "inbox": lambda engine: engine.submissions.submit(DRAFT, AGENT),
}
"""How each door hands in what came to it: this is where they join."""


async def refused(engine: Engine, id: str) -> tuple[KillReason | None, bool, bool]:
    """Return why a run ended, whether its refusal is on record, and whether anything of it ran."""
    case = await engine.queries.finished(id)
    types = [event.type for event in await engine.queries.trail(id)]
    reason = case.result.kill_reason if case.result else None
    return reason, "run.refused" in types, "run.started" in types


async def test_one_change_is_refused_whatever_door_it_came_by(engine_with: EngineMaker) -> None:
    """Nothing of it runs, and the refusal is on record, for every door and every change."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        for door, hand_in in JOINS.items():
            for what in CHANGES:
                tamper(engine, TAMPERED[what])
                case = await hand_in(engine)
                id, digest = case.submission.id, case.submission.digest
                await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest)
                assert (door, what, KillReason.POLICY, True, False) == (
                    door,
                    what,
                    *await refused(engine, id),
                )


@contextlib.asynccontextmanager
async def over_http(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    """Speak to an engine by its HTTP API, as the owner of its socket."""
    app = create_app(engine, lambda: None)

    async def let_in(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, CALLER: SOCKET_OWNER}, receive, send)

    transport = httpx.ASGITransport(let_in)
    async with httpx.AsyncClient(transport=transport, base_url="http://engine") as client:
        yield client


async def test_one_change_is_refused_over_http(engine_with: EngineMaker) -> None:
    """Handed in and approved over HTTP, changed, and told over HTTP: killed by policy."""
    async with engine_with() as engine, over_http(engine) as client, asyncio.timeout(SECONDS):
        tamper(engine, TAMPERED["code"])
        handed = {"draft": DRAFT.model_dump(mode="json")}
        submission = (await client.post("/v1/submissions", json=handed)).json()["submission"]
        decided = {"outcome": "approved", "digest": submission["digest"]}
        answer = await client.post(f"/v1/submissions/{submission['id']}/decision", json=decided)
        assert 200 == answer.status_code, answer.text
        told = (await client.get(f"/v1/submissions/{submission['id']}", params={"within": 30})).json()
        assert ("killed", "policy") == (told["status"], told["result"]["kill_reason"])
        events = (await client.get(f"/v1/history/{submission['id']}/events")).json()
        assert "run.refused" in [event["type"] for event in events]


async def test_one_change_is_refused_in_the_inbox(engine_with: EngineMaker, tmp_path: Path) -> None:
    """A dropped file that is changed after the approval is killed by policy, and its result says so."""
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        tamper(engine, TAMPERED["code"])
        async with watched(engine, inbox):
            (inbox / "a.py").write_text("print(6 * 7)\n")
            while not (queue := await engine.queries.queue()):
                await asyncio.sleep(0.05)
            await engine.submissions.decide(queue[0].id, ADA, DecisionOutcome.APPROVED, queue[0].digest)
            result = inbox / "a.py.result.json"
            while not result.exists():
                await asyncio.sleep(0.05)
        assert '"policy"' in result.read_text()
        assert (KillReason.POLICY, True, False) == await refused(engine, queue[0].id)


@contextlib.asynccontextmanager
async def watched(engine: Engine, inbox: Path) -> AsyncIterator[None]:
    """Watch the inbox until the block ends."""
    watching = asyncio.create_task(watch_inbox(engine, inbox))
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
