"""A process that is one of several engines over one PostgreSQL, and its own clients: until SIGTERM.

Each line that it says is a fact: `up`, `s ID` for a submission that was answered, `d ID OUTCOME` for a
decision that was, `x CODE` for code that starts, `p MICROSECONDS` for how long a submission took to be
answered, and `done`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.log import configure
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.history.store.open import open_history
from engine.models import Case, DecisionOutcome, Draft, Language, Level, Principal, Role, Status
from engine.settings import (
    AnalysisSettings,
    HistorySettings,
    PolicySettings,
    SandboxSettings,
    ServerSettings,
    Settings,
)
from tests.faults.machine import Machine, machine_backend

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
MOST_OPEN = 60
"""More than that are not submitted: what waits for a place would only grow."""
WAITING = 0.05
"""The share of the code that goes on until it is ended."""
KILLED = 0.1
"""The chance that a run is killed each time that its client looks at it."""
PAUSE_SECONDS = 0.02
CHANCE = random.Random()  # noqa: S311  who does what
END_SECONDS = 20.0
PLACES = 2
"""So few runs at once that many are handed over."""
REFUSALS = (Problem, HistoryError, OSError)


def say(line: str) -> None:
    """State a fact in one write, which a kill does not cut; where nobody listens any more, end."""
    try:
        os.write(1, f"{line}\n".encode())
    except BrokenPipeError:
        os._exit(1)


class SaidStarts(Counter[bytes]):
    """Says each code that starts."""

    def __setitem__(self, code: bytes, count: int) -> None:
        say(f"x {code.decode().splitlines()[0]}")
        super().__setitem__(code, count)


def settings_of(url: str, name: str) -> Settings:
    """Return settings that nothing but faults slows down."""
    return Settings(
        analysis=AnalysisSettings(deadline_seconds=30),
        policy=PolicySettings(
            base="strict",
            deadlines={Level.HIGH: 600},
            require_full_review=False,
            submissions_per_minute=1e6,
            submissions_burst=100_000,
        ),
        history=HistorySettings(
            database=url, engines="several", engine_name=name, batch_milliseconds=5, witness_file=False
        ),
        server=ServerSettings(max_pending=5000, max_pending_each=5000),
        sandbox=SandboxSettings(pool=0, grace_seconds=0.2),
    )


class Clients:
    """Submit, approve, deny and kill at one engine whatever any of them took in."""

    def __init__(self, name: str, stopping: asyncio.Event) -> None:
        self._name = f"{name}-{os.getpid()}-{time.monotonic_ns()}"
        self._number = 0
        self._stopping = stopping
        self._gone = asyncio.Event()

    @property
    def _enough(self) -> bool:
        return self._stopping.is_set() or self._gone.is_set()

    async def watch(self, engine: Engine) -> None:
        """End the work at an engine that was taken over."""
        assert engine.several is not None
        await engine.several.taken_over.wait()
        self._gone.set()

    async def submit(self, engine: Engine) -> None:
        """Submit code that no other client submits, until it is enough."""
        while not self._enough:
            if len(engine.work_queue) > MOST_OPEN:
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            self._number += 1
            word = "wait" if CHANCE.random() < WAITING else "name"
            code = f"{word} = '{self._name}-{self._number}'\nprint({word})"
            draft, began = Draft(code=Untrusted(code), language=Language.PYTHON), time.perf_counter()
            with contextlib.suppress(*REFUSALS):
                case = await engine.intake.submit(draft, AGENT, key=f"{self._name}-{self._number}")
                say(f"s {case.submission.id}")
                say(f"p {(time.perf_counter() - began) * 1e6:.0f}")

    async def decide(self, engine: Engine) -> None:
        """Decide about what waits, and kill some of what goes on, until nothing is left at the end."""
        while not self._gone.is_set() and (not self._stopping.is_set() or engine.work_queue.pending):
            cases = [entry.case for entry in engine.work_queue]
            CHANCE.shuffle(cases)
            for case in cases:
                with contextlib.suppress(*REFUSALS):
                    await self._act(engine, case)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _act(self, engine: Engine, case: Case) -> None:
        id = case.submission.id
        if case.status is Status.PENDING:
            outcome = CHANCE.choice([DecisionOutcome.APPROVED] * 3 + [DecisionOutcome.DENIED])
            reason = "" if outcome is DecisionOutcome.APPROVED else "no"
            await engine.submissions.decide(id, ADA, outcome, case.submission.digest, reason)
            say(f"d {id} {outcome.value}")
        elif case.status is Status.RUNNING and (self._stopping.is_set() or CHANCE.random() < KILLED):
            await engine.runs.kill(id, ADA)


async def main(url: str, home: Path, name: str, submitters: int) -> None:
    """Be an engine with clients until SIGTERM; then finish what is open."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    configure(level="error")
    os.environ["PRATIQUE_HOME"] = str(home)
    settings, machine = settings_of(url, name), Machine(executed=SaidStarts())
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    while not stopping.is_set():
        with contextlib.suppress(HistoryError):  # a service manager tries again
            await _be_engine(settings, home, machine, Clients(name, stopping), submitters)
        await asyncio.sleep(PAUSE_SECONDS)
    say("done")


async def _be_engine(
    settings: Settings, home: Path, machine: Machine, clients: Clients, submitters: int
) -> None:
    """Be an engine until it is enough, or until other engines have taken over from it."""
    pool = AnalysisPool(settings.analysis)
    backend = machine_backend(machine, concurrent=PLACES)
    log = await open_history(settings.history, home / "p.db", None)
    try:
        async with Engine(settings, log, pool, backend) as engine, asyncio.TaskGroup() as tasks:
            say("up")
            watching = tasks.create_task(clients.watch(engine))
            async with asyncio.TaskGroup() as working:
                for _ in range(submitters):
                    working.create_task(clients.submit(engine))
                working.create_task(clients.decide(engine))
            watching.cancel()
            await _finish(engine)
    finally:
        await asyncio.gather(backend.close(), pool.close(), log.close(), return_exceptions=True)


async def _finish(engine: Engine) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            while any(entry.is_here or entry.case.status is Status.QUEUED for entry in engine.work_queue):
                await _end(engine)


async def _end(engine: Engine) -> None:
    for entry in engine.work_queue:
        if entry.is_here and entry.case.status is Status.RUNNING:
            with contextlib.suppress(*REFUSALS):
                await engine.runs.kill(entry.id, ADA)
    await asyncio.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
