"""The process of the engine: opens the history, the analysis and the sandboxes, and serves the endpoints."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from importlib.metadata import version
from pathlib import Path

import uvloop

from engine import locations
from engine.analysis_pool import AnalysisPool
from engine.common import log
from engine.common.engine_id import engine_id
from engine.common.errors import Problem
from engine.common.lock_holder import lock_holder
from engine.common.text import visible
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.history.store.open import wait_for_history
from engine.history.store.sql.writer import checkpoints_of
from engine.history.witness.checkpoint_file import last
from engine.history.witness.witnesses import Witnesses
from engine.notifications.service import Notifications
from engine.sandbox.drivers.open import open_backend
from engine.server.endpoints import serve_endpoints
from engine.server.event_log import log_backend, log_event
from engine.server.http.connections.limits import open_files_check, raise_open_files
from engine.server.http.listeners import bind_tcp
from engine.server.local_socket import LocalSocket
from engine.server.memory import collect_often, settle_allocator, settle_collector
from engine.server.traces.exporter import export_traces
from engine.settings import Settings
from engine.trusted_files import require_trusted

HAND_OVER_SECONDS = 3.0
"""How long an engine that ends waits for the witnesses of its history."""
SWITCH_SECONDS = 0.001
"""How long another thread keeps the interpreter while the event loop wants it."""


async def serve(settings: Settings, *, until_idle: bool = False) -> None:
    """Run the engine and its endpoints until a signal, or until it has been idle for long enough.

    Raises:
        Problem: another engine runs here, the history cannot be opened, or others took over from this engine.
    """
    settle_allocator()
    log.configure(settings.server.log_format, settings.server.log_level)
    raise_open_files()
    require_trusted()
    path = locations.socket()
    if _answers(path):
        raise Problem(409, f"an engine is already running at {path}", hint="Type: pratique stop")
    if holder := lock_holder(locations.engine_lock()):
        what = f"an engine is already running (process {holder}), and does not answer at {path}"
        raise Problem(409, what, hint="Type: pratique stop")
    try:
        await _serve(settings, path, until_idle)
    except HistoryError as error:
        log.warning("history.unavailable", reason=error.title, hint=error.hint)
        raise Problem(503, str(error)) from error


async def _serve(settings: Settings, path: Path, until_idle: bool) -> None:
    if until_idle:  # who started it waits for its answer
        settings = settings.model_copy(
            update={"history": settings.history.model_copy(update={"standby": False})}
        )
    async with _engine(settings) as engine, contextlib.AsyncExitStack() as listeners:
        remote = listeners.enter_context(bind_tcp(settings.server)) if settings.server.listen else None
        local = LocalSocket(path)
        listener = listeners.enter_context(local.bind())
        engine.add_checks(lambda: (local.check(), open_files_check()))
        locations.stopped().unlink(missing_ok=True)
        try:
            log.info("engine.started", version=version("pratique"), pid=os.getpid(), socket=str(path))
            await serve_endpoints(engine, local, listener, remote, until_idle)
            _require_own_place(engine)
        finally:
            local.remove()
            log.info("engine.stopped", pid=os.getpid())


def _require_own_place(engine: Engine) -> None:
    """Raise Problem where other engines took over from this one: started again, it is one of them again."""
    if engine.several and engine.several.taken_over.is_set():
        what = "the other engines took this one for dead, and took over from it; its runs were stopped"
        raise Problem(503, what, hint="Type: pratique serve")


@contextlib.asynccontextmanager
async def _engine(settings: Settings) -> AsyncIterator[Engine]:
    history = await wait_for_history(
        settings.history, locations.database(), witness_path(settings), _log_standby
    )
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(_hand_over, settings)
        closing.push_async_callback(history.close)
        analysis_pool = AnalysisPool(settings.analysis)
        sandboxes = open_backend(settings.sandbox, engine_id(locations.state()))
        closing.push_async_callback(analysis_pool.close)
        closing.push_async_callback(sandboxes.close)
        engine = Engine(settings, history, analysis_pool, sandboxes)
        engine.queries.listen(log_event)
        await closing.enter_async_context(engine)
        notifications = Notifications(settings.notifications, engine, locations.notifications())
        notifications.start(engine.supervisor)
        engine.add_checks(notifications.checks)
        export_traces(engine, settings.traces)
        settle_collector()
        engine.supervisor.start("memory", collect_often)
        _share_interpreter()
        engine.supervisor.start("backend log", partial(log_backend, sandboxes))
        yield engine


def _log_standby(why: str) -> None:
    log.info("engine.standby", reason=why)


def witness_path(settings: Settings) -> Path | None:
    """Return where the newest signed head is kept outside the state folder; None where it is not."""
    return locations.witness() if settings.history.witness_file else None


async def _hand_over(settings: Settings) -> None:
    """Give the witnesses the checkpoint of this engine's end; what they do not take the next engine gives."""
    note = await asyncio.to_thread(last, checkpoints_of(locations.database()))
    if note:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HAND_OVER_SECONDS):
                await Witnesses(settings.history).publish(note)


def _share_interpreter() -> None:
    """Let the event loop have the interpreter soon after another thread, as that of the history, took it."""
    sys.setswitchinterval(SWITCH_SECONDS)


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
    except (Problem, ValueError) as problem:
        sys.stderr.write(f"{visible(str(problem), keep=chr(10))}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
