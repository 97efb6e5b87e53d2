"""What is lost of a draft when the console is killed while somebody types: a real console on a pty.

A character counts from the moment when the console has shown it: before that nobody saw it typed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.benchmarks.pty_console import PtyConsole
from tests.benchmarks.row import Row, percentiles, told

KILLS = int(os.environ.get("PRATIQUE_BENCH_KILLS", "100"))
KEY_SECONDS = 0.03
AT_ONCE = int(os.environ.get("PRATIQUE_BENCH_CONSOLES", "1"))
"""Consoles that are typed into at the same time: several are sooner done, and each waits for the others."""
TYPED_SECONDS = (1.2, 2.5)
MOST_SECONDS = float(os.environ.get("PRATIQUE_BENCH_SECONDS", "240"))
"""No other console is begun after this time; the rows say how many there were."""
OLD_SECONDS = 1.0
LETTERS = "abcdefghij"
SHOWN = "shown"
"""A file of the home: when the console painted, and how many characters were typed by then, line by line."""
CONSOLE = f"""
import os, time
from console.app.app import ConsoleApp
from console.explore.editor import Editor
from engine import locations
from tests.console.support.fake_engine import FakeEngine
engine = FakeEngine()
async def connect():
    return engine
shown = os.open(locations.state() / {SHOWN!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def painted(app):
    for editor in app.screen.query(Editor):
        os.write(shown, f"{{time.monotonic()}} {{len(editor.text)}}\\n".encode())
ConsoleApp.post_display_hook = painted
ConsoleApp(connect).run()
"""


async def rows() -> list[Row]:
    """Kill consoles one after the other; each types into a home of its own."""
    return await asyncio.to_thread(_killed)


def _killed() -> list[Row]:
    ends = time.monotonic() + MOST_SECONDS
    with ThreadPoolExecutor(AT_ONCE) as threads:
        lost = [each for each in threads.map(lambda _: _until(ends), range(KILLS)) if each is not None]
    old, late = [float(each[0]) for each in lost], [float(each[1]) for each in lost]
    name = f"drafts: {len(lost)} kill -9 while typing"
    return told(
        Row(f"{name}, lost characters older than 1 s", *percentiles(old), "", None, None, "0 in all",
            max(old) == 0),
        Row(f"{name}, lost characters", *percentiles(late), "", None, None, "", None),
    )  # fmt: skip


def _until(ends: float) -> tuple[int, int] | None:
    """Kill one console and say what was lost, unless the time is over."""
    if time.monotonic() > ends:
        return None
    old, late = _lost_of_one()
    sys.stderr.write(f"killed one: {old} characters older than 1 s are lost, {late} in all\n")
    return old, late


def _lost_of_one() -> tuple[int, int]:
    """Type until a random moment and kill; return how many lost characters were old, and how many in all."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as folder:
        home = Path(folder)
        (home / "console-welcomed").touch()
        typed = 0
        with PtyConsole([sys.executable, "-c", CONSOLE], {"PRATIQUE_HOME": folder}) as explore:
            explore.see(b"Queue is empty")
            explore.until_painted(b"3", b"No code yet")
            until = time.monotonic() + random.uniform(*TYPED_SECONDS)  # noqa: S311
            while time.monotonic() < until:
                explore.press(LETTERS[typed % len(LETTERS)].encode())
                typed += 1
                time.sleep(KEY_SECONDS)
            killed = time.monotonic()
        shown, saved = _shown(home), len(_saved(home))
        old = [count for at, count in shown if killed - at > OLD_SECONDS]
        return max(0, max(old, default=0) - saved), max(0, max(count for _, count in shown) - saved)


def _shown(home: Path) -> list[tuple[float, int]]:
    """Return when the console painted, and how many characters were typed by then."""
    (log,) = home.rglob(SHOWN)
    lines = [line.split() for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [(float(at), int(count)) for at, count in lines]


def _saved(home: Path) -> str:
    drafts = list(home.rglob("drafts/*.json"))
    return str(json.loads(drafts[0].read_text())["code"]) if drafts else ""
