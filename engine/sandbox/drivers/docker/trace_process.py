"""The engine's side of the process that listens to its sandboxes: started, watched and replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_START_SECONDS = 20.0
_PING_SECONDS = 3.0
_ANSWER_SECONDS = 10.0
_END_SECONDS = 2.0
_MOST_LINE = 16 << 20
_FOLDERS = ("/run", tempfile.gettempdir())
_PREFIX = "pratique-events-"

Answer = dict[str, Any]


class ListenerLost(OSError):
    """The listener of effects does not answer."""


class TraceProcess:
    """Runs the listener, passes commands to it and its answers to whoever waits."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.pid = 0
        self.folder = Path()
        self._process: asyncio.subprocess.Process | None = None
        self._handlers: dict[str, Callable[[Answer], None]] = {}

    async def run(self) -> None:
        """Run one listener until it ends or hangs. Raises ListenerLost."""
        _remove_stale(Path(_short_folder()))
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_short_folder()))
        try:
            await self._serve(await self._start())
        finally:
            self.ready.clear()
            for handle in tuple(self._handlers.values()):
                handle({"op": "lost"})
            await asyncio.shield(self._end())

    async def _start(self) -> asyncio.subprocess.Process:
        module = "engine.sandbox.drivers.docker.trace_listener"
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-m", module, str(self.folder), str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_LINE,
        )
        self.pid = self._process.pid
        return self._process

    async def _serve(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101  it was asked for
        seconds = _START_SECONDS
        while True:
            try:
                async with asyncio.timeout(seconds):
                    line = await process.stdout.readline()
            except TimeoutError:
                seconds = self._silent(seconds)
                continue
            except ValueError as error:
                raise ListenerLost("the listener of effects sent a line without end") from error
            if not line:
                raise ListenerLost("the listener of effects ended")
            self.ready.set()
            seconds = _PING_SECONDS
            self._pass(json.loads(line))

    def _silent(self, seconds: float) -> float:
        """Ask a listener that says nothing whether it lives; return how long its answer may take."""
        if seconds != _PING_SECONDS:
            raise ListenerLost("the listener of effects does not answer")
        self.send({"op": "ping", "key": ""})
        return _ANSWER_SECONDS

    def _pass(self, answer: Answer) -> None:
        if (handle := self._handlers.get(answer.get("key", ""))) is not None:
            handle(answer)

    def subscribe(self, key: str, handle: Callable[[Answer], None]) -> None:
        """Pass the answers about a sandbox to a function; also `lost`, once the listener has ended."""
        self._handlers[key] = handle

    def unsubscribe(self, key: str) -> None:
        """Pass on nothing about a sandbox any more."""
        self._handlers.pop(key, None)

    def send(self, command: Answer) -> None:
        """Send a command, unless the listener has ended."""
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(json.dumps(command).encode() + b"\n")

    def kill(self) -> None:
        """End a listener that does not answer: another one is started."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _end(self) -> None:
        process, self._process, self.pid = self._process, None, 0
        if process is not None and process.returncode is None:
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(TimeoutError, ProcessLookupError):
                process.kill()
                async with asyncio.timeout(_END_SECONDS):
                    await process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _short_folder() -> str:
    """Return where sockets can lie: their paths are limited to 107 bytes."""
    return next((folder for folder in _FOLDERS if os.access(folder, os.W_OK)), _FOLDERS[-1])


def _remove_stale(folder: Path) -> None:
    """Remove the folders of engines that were killed."""
    for left in folder.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
