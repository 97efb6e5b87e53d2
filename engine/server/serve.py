"""The engine's own process: its audit log, its analyst, its sandboxes, and the doors into it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path

import uvicorn
import uvloop

from engine import locations
from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.store.sqlite.writer import witness_file
from engine.history.witness.checkpoint_file import last
from engine.history.witness.witnesses import Witnesses
from engine.sandbox import SandboxManager
from engine.server.http.app import application
from engine.server.http.guard import LOCAL, Guard, Keys, Traffic
from engine.server.http.listeners import server, tcp, unix
from engine.server.inbox.inbox import watch_inbox
from engine.server.mcp.mount import Agents
from engine.settings import Settings

IDLE_CHECK_SECONDS = 5.0
HAND_OVER_SECONDS = 3.0
"""How long an engine that ends waits for the witnesses of its history."""


async def serve(settings: Settings, *, until_idle: bool = False) -> None:
    """Run the engine and its doors until a signal, or until it has been idle for long enough.

    Raises:
        Problem: another engine runs here, or the history cannot be opened.
    """
    path = locations.socket()
    if _answers(path):
        raise Problem(409, f"an engine runs here already, at {path}")
    try:
        await _serve(settings, path, until_idle)
    except HistoryError as error:
        raise Problem(503, str(error)) from error


async def _serve(settings: Settings, path: Path, until_idle: bool) -> None:
    async with _engine(settings) as engine, contextlib.AsyncExitStack() as listeners:
        outside = listeners.enter_context(tcp(settings.server)) if settings.server.listen else None
        own = listeners.enter_context(unix(path))
        try:
            await _open_doors(engine, own, outside, until_idle)
        finally:
            path.unlink(missing_ok=True)


async def _open_doors(
    engine: Engine, own: socket.socket, outside: socket.socket | None, until_idle: bool
) -> None:
    settings = engine.settings.server
    ending = asyncio.Event()
    own_traffic, traffic = Traffic(settings.max_requests), Traffic(settings.max_requests)
    async with asyncio.TaskGroup() as tasks:
        app = Agents(application(engine, ending.set), engine.settings, tasks)
        servers = [(server(Guard(app, settings, own_traffic)), own)]
        if outside:
            keys, hosts = Keys(engine.tokens, settings), LOCAL | frozenset(settings.hosts)
            servers.append((server(Guard(app, settings, traffic, keys, hosts), settings), outside))
        http = tasks.create_task(_serve_http(servers, ending))
        others = []
        if settings.inbox:
            others.append(tasks.create_task(watch_inbox(engine, locations.inbox())))
        if until_idle and settings.idle_minutes:
            others.append(tasks.create_task(_end_when_idle(ending, (own_traffic, traffic), engine)))
        await http
        app.close()
        for task in others:
            task.cancel()


async def _serve_http(servers: Sequence[tuple[uvicorn.Server, socket.socket]], ending: asyncio.Event) -> None:
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, ending.set)
    async with asyncio.TaskGroup() as tasks:
        serving = {tasks.create_task(one.serve(sockets=[listener])) for one, listener in servers}
        await asyncio.wait({*serving, tasks.create_task(ending.wait())}, return_when=asyncio.FIRST_COMPLETED)
        ending.set()
        for one, _ in servers:
            one.should_exit = True


async def _end_when_idle(ending: asyncio.Event, traffic: Sequence[Traffic], engine: Engine) -> None:
    most = engine.settings.server.idle_minutes * 60
    while engine.queries.busy or min(one.quiet_seconds for one in traffic) < most:
        await asyncio.sleep(IDLE_CHECK_SECONDS)
    ending.set()


@contextlib.asynccontextmanager
async def _engine(settings: Settings) -> AsyncIterator[Engine]:
    log = await SqliteHistoryStore.open(locations.database(), settings.history)
    analyst, sandboxes = AnalysisPool(settings.analysis), SandboxManager(settings.sandbox, engine_id())
    try:
        async with Engine(settings, log, analyst, sandboxes) as engine:
            _settle_memory()
            yield engine
    finally:
        await sandboxes.close()
        await analyst.close()
        await log.close()
        await _hand_over(settings)


async def _hand_over(settings: Settings) -> None:
    """Give the witnesses the checkpoint of this engine's end; what they do not take the next engine gives."""
    note = await asyncio.to_thread(last, witness_file(locations.database()))
    if note:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HAND_OVER_SECONDS):
                await Witnesses(settings.history).give(note)


def _settle_memory() -> None:
    """Keep the collector off what was loaded: a full collection over it would hold up every answer."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def engine_id() -> str:
    """Return the name that the sandboxes of this state folder's engine carry, from one start to the next."""
    return hashlib.sha256(str(locations.state()).encode()).hexdigest()[:12]


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.settimeout(1)
            probe.connect(str(path))
        except OSError:
            return False
        return True


def on_fast_loop(work: Coroutine[None, None, None]) -> None:
    """Do the engine's work on the event loop that is written in C."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


def main() -> int:
    """Serve until idle: what a console starts in the background."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        on_fast_loop(serve(Settings(), until_idle=True))
    except Problem as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
