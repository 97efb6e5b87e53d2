"""`python -m tests.console.recording`: an agent is asked for changes, revises and is approved, as a picture.

A real engine, a real MCP client, a real sandbox. The picture is an SVG that shows one frame after the other.
"""

from __future__ import annotations

import asyncio

from console.review.approve import ApproveScreen
from tests.console.safety.test_hostile_frames import plain
from tests.console.screenshots import UNHURRIED
from tests.console.support.harness import press, until
from tests.console.support.recording import Recording, record
from tests.engine.server.test_mcp_stdio import agent, pending
from tests.engine_process import EngineProcess

SIZE = (100, 28)
PURPOSE = "Print the totals for each region"
FIRST = """import os

totals = {"north": 120, "south": 95}
for region in sorted(totals):
    print(region, totals[region])
print(os.environ)
"""
REVISED = """totals = {"north": 120, "south": 95}
for region in sorted(totals):
    print(region, totals[region])
"""


async def _play(recording: Recording, engine: EngineProcess) -> None:
    """Play both sides."""
    async with engine.client() as operator, agent(engine, wait="0") as mcp:
        await mcp.call_tool("code_execute", {"code": FIRST, "purpose": PURPOSE})
        first = (await pending(operator)).submission.id
        await _ask_for_changes(recording, first)
        await mcp.call_tool("code_execute", {"code": REVISED, "purpose": PURPOSE, "revises": first})
        second = (await pending(operator)).submission.id
        await _approve(recording, second)


async def _ask_for_changes(recording: Recording, id: str) -> None:
    app, pilot = recording.app, recording.pilot
    await until(pilot, lambda: id in plain(app) and "os.environ" in plain(app))
    await pilot.pause(1)
    await recording.note("1. An agent submits code over MCP: it reads the whole environment")
    await press(pilot, "r")
    await until(pilot, lambda: app.screen.is_modal)
    await press(pilot, *"why the environment?", "enter")
    await recording.note("2. r: a comment on line 6 instead of a yes or no")
    await press(pilot, "ctrl+s")
    await until(pilot, lambda: "Queue is empty" in plain(app))
    await recording.note("3. The agent gets the comment as data, and works on it")


async def _approve(recording: Recording, id: str) -> None:
    app, pilot = recording.app, recording.pilot
    await until(pilot, lambda: id in plain(app))
    await pilot.pause(1)
    await recording.note("4. Its revision waits: proven harmless, and what changed is marked")
    await press(pilot, "c")
    await until(pilot, lambda: app.screen.is_modal or id not in plain(app))
    await recording.note("5. c: the difference, and what became of the comment")
    await press(pilot, "escape")
    await until(pilot, lambda: not getattr(app.screen, "obstacle", "another screen"))
    await press(pilot, "ctrl+y")
    await until(pilot, lambda: isinstance(app.screen, ApproveScreen) and app.screen.delay.over)
    await recording.note("6. ctrl+y: exactly these bytes")
    await press(pilot, "ctrl+y")
    await pilot.pause(0.5)
    await press(pilot, "2")
    await until(pilot, lambda: "south 95" in plain(app), 90)
    await recording.note("7. They run in a new gVisor sandbox; the agent gets the result")


if __name__ == "__main__":
    asyncio.run(record("request-changes", SIZE, _play, PRATIQUE_POLICY__DEADLINES=UNHURRIED))
