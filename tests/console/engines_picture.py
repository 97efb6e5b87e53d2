"""Two consoles on two of the three engines of `deploy/three-engines`, side by side: one queue, one run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from engine.cli.samples import SAMPLES
from engine.client.client import Client
from tests import pictures
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.harness import press, until
from tests.engine_process import BASE, WITHOUT_RECORD
from tests.tls import free_port

SCRIPT = Path(__file__).parents[2] / "deploy" / "three-engines"
SHOWN = ("one", "two")
SIZE = (110, 30)
UP_SECONDS = 180.0
END_SECONDS = 60.0
Busy = Callable[[Client], Awaitable[None]]


async def draw(path: Path, busy: Busy, deadlines: str) -> None:
    """Draw what two engines show of the same work; `busy` hands in a run that takes a while."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as made:
        folder = Path(made)
        async with _three_engines(folder, deadlines):
            await _submit_samples(folder)
            async with _client(folder, SHOWN[0], "model-trainer") as agent:
                await busy(agent)
            together = asyncio.Barrier(len(SHOWN))
            columns = await asyncio.gather(*(_frames(folder, name, together) for name in SHOWN))
            pictures.save_together(list(zip(*columns, strict=True)), path)


@contextlib.asynccontextmanager
async def _three_engines(folder: Path, deadlines: str) -> AsyncIterator[None]:
    """Have the script's engines up for the time of a block."""
    settings = {"PRATIQUE_POLICY__DEADLINES": deadlines, WITHOUT_RECORD: "false", BASE: "strict"}
    own = {"PRATIQUE": str(Path(sys.executable).with_name("pratique")), "PORT": str(free_port())}
    script = await asyncio.create_subprocess_exec(
        SCRIPT, folder, stdout=asyncio.subprocess.PIPE, env={**os.environ, **settings, **own}
    )
    assert script.stdout
    try:
        async with asyncio.timeout(UP_SECONDS):
            while b"Ctrl+C" not in (line := await script.stdout.readline()):
                assert line, "the engines did not start"
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            script.send_signal(signal.SIGTERM)
        async with asyncio.timeout(END_SECONDS):
            await script.communicate()


def _client(folder: Path, name: str, requester: str = "") -> Client:
    return Client(folder / name / "run" / "engine.sock", requester)


async def _submit_samples(folder: Path) -> None:
    """Hand the samples in at different engines."""
    for number, sample in enumerate(SAMPLES[1:]):
        async with _client(folder, SHOWN[number % len(SHOWN)], sample.requester) as agent:
            await agent.submit(sample.draft)


async def _frames(folder: Path, name: str, together: asyncio.Barrier) -> list[str]:
    """Return what a console on an engine shows in Review and in Run, at the same moments as the others."""

    async def connect() -> Client:
        return _client(folder, name)

    app, frames = ConsoleApp(connect, Preferences(theme="dark")), []
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(app.queue) >= len(SAMPLES) - 1, 60)
        await until(pilot, lambda: app.health is not None and app.health.can_run, 60)
        for key, shown in (("1", "Pending"), ("2", "loss")):
            await press(pilot, key)
            await until(pilot, lambda shown=shown: shown in plain(app), 60)  # type: ignore[misc]
            await together.wait()
            await pilot.pause(2.5)
            app.clear_notifications()
            await pilot.pause(0.3)
            frames.append(pictures.svg(app, f"A console on engine {name}"))
    return frames
