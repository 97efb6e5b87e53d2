"""Notices of a real engine reach a real receiver: at once, after it was down, and none is lost."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from engine.notifications.notice import Notice
from engine.notifications.senders.delivery import DeliveryError
from engine.notifications.senders.programs import CommandSender
from engine.notifications.settings import CommandSettings
from tests.engine.notifications.receivers import Inbox, Post, listening
from tests.engine.notifications.test_shapes import notice
from tests.engine_process import EngineProcess

Started = Callable[..., EngineProcess]


@asynccontextmanager
async def engine_with(
    home: Path, *receivers: dict[str, Any], **settings: str
) -> AsyncIterator[EngineProcess]:
    """Run an engine with receivers."""
    engine = EngineProcess(home, PRATIQUE_NOTIFICATIONS=json.dumps({"receivers": receivers}), **settings)
    await asyncio.to_thread(engine.start)
    try:
        yield engine
    finally:
        await asyncio.to_thread(engine.end)


def webhook(port: int, **more: Any) -> dict[str, Any]:
    """Return the settings of a receiver at a port."""
    return {"name": "desk", "kind": "webhook", "url": f"http://127.0.0.1:{port}/hook", **more}


async def submit(client: Client, text: str = "1", **more: Any) -> str:
    """Submit code that waits, and return its id."""
    draft = Draft(code=Untrusted(f"print({text!r})"), language=Language.PYTHON, **more)
    return (await client.submit(draft)).submission.id


def ids(posts: list[Post]) -> list[str]:
    return [json.loads(post.body)["id"] for post in posts]


async def test_what_waits_is_told_with_what_a_person_needs(home: Path) -> None:
    """Its risk, who wants it, for what, until when, and what to type; the code is not in it; it is signed."""
    inbox = Inbox()
    (home / "key").write_text("secret\n")
    with listening(inbox) as port:
        async with (
            engine_with(home, webhook(port, key_file=str(home / "key"))) as engine,
            engine.client("bot") as client,
        ):
            id = await submit(client, "TOPSECRET", purpose=Untrusted("Count \x1b[31mthings"))
            post = (await asyncio.to_thread(inbox.wait_for, 1))[0]
            events = await client.history.search("")
    told = json.loads(post.body)
    assert (f"waiting-{id}", "bot", "high", f"pratique show {id}") == (
        told["id"], told["agent"], told["risk"], told["command"],
    )  # fmt: skip
    assert "Count ␛[31mthings" == told["purpose"]
    assert told["deadline"]
    assert b"TOPSECRET" not in post.body
    at, _, signed = post.headers["x-pratique-signature"].partition(",v1=")
    made = hmac.new(b"secret", at.removeprefix("t=").encode() + b"." + post.body, "sha256").hexdigest()
    assert made == signed
    assert events


async def test_everything_arrives_once_after_the_receiver_was_down(home: Path) -> None:
    """Nothing is lost and nothing comes twice, also over a restart of the engine; the history says so."""
    inbox = Inbox()
    with listening(inbox) as port:
        pass
    receiver = webhook(port, events=["waiting"])
    async with engine_with(home, receiver) as engine, engine.client("bot") as client:
        first = [await submit(client, str(number)) for number in range(20)]
        health = await client.health()
        assert not next(check for check in health.checks if check.name == "notify: desk").ok
    async with engine_with(home, receiver) as engine, engine.client("bot") as client:
        second = [await submit(client, f"later {number}") for number in range(20)]
        with listening(inbox, port):
            await asyncio.to_thread(inbox.wait_for, 40)
            last = await submit(client, "last")
            posts = await asyncio.to_thread(inbox.wait_for, 41)
    assert sorted(f"waiting-{id}" for id in [*first, *second, last]) == sorted(ids(posts))


async def test_what_was_decided_meanwhile_is_not_told(home: Path) -> None:
    """A receiver that was down is not asked about what is over."""
    inbox = Inbox()
    with listening(inbox) as port:
        pass
    async with engine_with(home, webhook(port, events=["waiting"])) as engine, engine.client("bot") as client:
        over = await submit(client, "over")
        digest = (await client.case(over)).submission.digest
        await client.decide(over, DecisionOutcome.DENIED, digest)
        with listening(inbox, port):
            waits = await submit(client, "waits")
            posts = await asyncio.to_thread(inbox.wait_for, 1)
    assert [f"waiting-{waits}"] == ids(posts)


async def test_a_refusal_does_not_keep_back_the_next(home: Path) -> None:
    """After three refusals a notice is given up, and that is recorded."""
    inbox = Inbox()
    inbox.answers = [400, 503, 404, 410]
    with listening(inbox) as port:
        async with (
            engine_with(home, webhook(port, events=["waiting"])) as engine,
            engine.client("bot") as client,
        ):
            await submit(client, "refused")
            second = await submit(client, "taken")
            posts = await asyncio.to_thread(inbox.wait_for, 1)
            failed = [event async for event in _recorded(client, "notification.failed")]
    assert [f"waiting-{second}"] == ids(posts)
    assert ("desk", 4) == (failed[0].data["receiver"], failed[0].data["attempts"])


async def _recorded(client: Client, type: str) -> AsyncIterator[Any]:
    async for event in client.events(0):
        if event.type == type:
            yield event
            return


async def test_a_receiver_that_hangs_holds_up_nobody(home: Path) -> None:
    """The engine answers as ever, and the other receiver is told."""
    inbox = Inbox()
    hangs = {"name": "hangs", "kind": "command", "command": ["sleep", "600"], "seconds": 120}
    with listening(inbox) as port:
        async with engine_with(home, hangs, webhook(port)) as engine, engine.client("bot") as client:
            told = [await submit(client, str(number)) for number in range(5)]
            posts = await asyncio.to_thread(inbox.wait_for, 5)
            began = time.monotonic()
    assert time.monotonic() - began < 30
    assert {f"waiting-{id}" for id in told} == set(ids(posts))


async def test_what_expires_is_told(home: Path) -> None:
    """Once its deadline is near, and only then."""
    inbox = Inbox()
    with listening(inbox) as port:
        near = webhook(port, events=["expiring"], expiring_seconds=3600)
        far = {**webhook(port, events=["expiring"], expiring_seconds=0.001), "name": "far"}
        short = {"PRATIQUE_POLICY__DEADLINES": '{"high": 8}'}
        async with engine_with(home, near, far, **short) as engine, engine.client("bot") as client:
            id = await submit(client)
            posts = await asyncio.to_thread(inbox.wait_for, 1)
    assert [f"expiring-{id}"] == ids(posts)


async def test_agents_and_code_are_as_the_settings_say(home: Path) -> None:
    """Only the named agents, and the code where it is asked for."""
    inbox = Inbox()
    with listening(inbox) as port:
        receiver = webhook(port, agents=["build-*"], code=True)
        async with engine_with(home, receiver) as engine:
            async with engine.client("other") as other:
                await submit(other, "not told")
            async with engine.client("build-7") as client:
                id = await submit(client, "told")
            posts = await asyncio.to_thread(inbox.wait_for, 1)
    assert [f"waiting-{id}"] == ids(posts)
    assert "print('told')" == json.loads(posts[0].body)["code"]


async def test_a_command_gets_the_notice_and_ends_with_what_it_started(tmp_path: Path) -> None:
    """As JSON on standard input; one that takes too long is killed with its children."""
    (tmp_path / "take").write_text(
        f"#!/bin/sh\ncat > {tmp_path}/got\nsleep 600 & echo $! > {tmp_path}/child\n$1\n"
    )
    (tmp_path / "take").chmod(0o755)
    told = notice("x")
    command = str(tmp_path / "take")
    await CommandSender(CommandSettings(name="c", kind="command", command=(command,))).send(told)
    assert told == Notice.model_validate_json((tmp_path / "got").read_bytes())
    slow = CommandSettings(name="c", kind="command", command=(command, "sleep 600"), seconds=1)
    with pytest.raises(DeliveryError, match="more than 1 s"):
        await CommandSender(slow).send(told)
    async with asyncio.timeout(30):
        while not _gone(tmp_path):
            await asyncio.sleep(0.02)
    with pytest.raises(DeliveryError, match="ended with"):
        await CommandSender(CommandSettings(name="c", kind="command", command=(command, "false"))).send(told)
    with pytest.raises(DeliveryError, match="cannot be started"):
        await CommandSender(CommandSettings(name="c", kind="command", command=("/none",))).send(told)


def _gone(folder: Path) -> bool:
    """Return whether the child is at most a zombie."""
    child = (folder / "child").read_text().strip()
    state = Path(f"/proc/{child}/stat")
    return not state.exists() or state.read_text().split()[2] == "Z"
