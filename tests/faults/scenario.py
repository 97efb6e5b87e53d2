"""One day of an engine in two seconds, and what has to hold afterwards whatever failed meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.history.store.postgres.store import PostgresHistoryStore
from engine.history.store.sql.store import SqlHistoryStore
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, DecisionOutcome, Draft, KillReason, Language, Level, Principal, Role, Status
from engine.models import Scope as TokenScope
from engine.notifications.service import Notifications
from engine.sandbox.api.errors import SandboxUnavailable
from engine.settings import HistorySettings, PolicySettings, SandboxSettings, Settings
from tests.faults.injection import Injector, injecting
from tests.faults.machine import Machine, machine_backend
from tests.faults.outcome import Outcome
from tests.faults.postgres_calls import MARK, postgres_calls
from tests.faults.services import MAIL, POSTED, Services, services
from tests.postgres_server import server

T = TypeVar("T")
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
AGENT = Principal(name=Untrusted("agent"))
FAULT_SECONDS = 0.6
"""How long a fault lasts from its first call on."""
STEP_SECONDS = 8.0
"""No answer may take longer, whatever fails."""
BRAKE_SECONDS = 3.0
RECOVERY_SECONDS = 10.0
SERVER_SECONDS = 2.0
"""How long a write may take that goes to a server, which shares the machine with the tests."""
REFUSALS = (Problem, HistoryError, SandboxUnavailable, OSError)
"""What a client gets as an answer, with what to type; anything else would be an internal error."""
SETTINGS = Settings(
    policy=PolicySettings(
        base="strict",
        deadlines={Level.HIGH: 0.15, Level.CRITICAL: 0.15, Level.MEDIUM: 60},
        require_full_review=False,
    ),
    history=HistorySettings(write_deadline_seconds=0.5, batch_milliseconds=5, checkpoint_events=5),
    sandbox=SandboxSettings(pool=0, grace_seconds=0.2),
)


OpenHistory = Callable[[Path], Awaitable[SqlHistoryStore]]
"""Opens the history of a state folder."""


async def in_sqlite(home: Path) -> SqlHistoryStore:
    """Open the history in a file of the state folder."""
    return await SqliteHistoryStore.open(home / "pratique.db", SETTINGS.history)


async def in_postgres(home: Path) -> SqlHistoryStore:
    """Open the history in a database of the tests' own server, one for each state folder."""
    url = server().database(f"faults_{home.name[-8:].lower()}")
    settings = SETTINGS.history.model_copy(update={"write_deadline_seconds": SERVER_SECONDS})
    return await PostgresHistoryStore.open(url, home / "pratique.db", settings)


@contextlib.asynccontextmanager
async def engine_at(
    home: Path,
    machine: Machine,
    pool: AnalysisPool,
    known: Services | None = None,
    open_history: OpenHistory = in_sqlite,
) -> AsyncIterator[Engine]:
    """Run an engine over the state folder that PRATIQUE_HOME names; `known` services get its notices."""
    backend = machine_backend(machine)
    async with contextlib.AsyncExitStack() as closing:
        outside = known if known is not None else await closing.enter_async_context(services())
        settings = _witnessed_by(outside.witness_url)
        log = await open_history(home)
        closing.push_async_callback(log.close)
        closing.push_async_callback(backend.close)
        engine = await closing.enter_async_context(Engine(settings, log, pool, backend))
        if known:
            notifications = Notifications(known.notifications, engine, home / "notifications")
            notifications.start(engine.supervisor)
            engine.add_checks(notifications.checks)
        yield engine


def _witnessed_by(url: str) -> Settings:
    history = HistorySettings.model_validate(dict(SETTINGS.history) | {"witness_url": url})
    return Settings.model_validate(dict(SETTINGS) | {"history": history})


class Scenario:
    """Submit, approve, run, pause, kill, deny, a session, a deadline, a token, a secret, a shutdown."""

    def __init__(
        self,
        home: Path,
        pool: AnalysisPool,
        injector: Injector,
        outcome: Outcome,
        open_history: OpenHistory = in_sqlite,
    ) -> None:
        self.home = home
        self._open_history = open_history
        self.machine = Machine()
        self.outcome = outcome
        self._pool = pool
        self._injector = injector
        self._number = 0

    async def play(self) -> Outcome:
        """Play it with the fault that the injector is armed with, and check what has to hold."""
        lifting = asyncio.create_task(self._lift())
        try:
            await self._day()
        except REFUSALS as error:
            self._refused("start", error)
            self.outcome.told = True
        except Exception as error:
            self.outcome.broken.append(f"engine: {type(error).__name__}: {error}")
        self._injector.lift()
        lifting.cancel()
        self.outcome.hits = self._injector.hits
        await self._reopened()
        return self.outcome

    async def _lift(self) -> None:
        """Lift the fault some time after its first call."""
        while not self._injector.hits:
            await asyncio.sleep(0.01)
        await asyncio.sleep(FAULT_SECONDS)
        self._injector.lift()

    async def _day(self) -> None:
        async with (
            services() as outside,
            engine_at(self.home, self.machine, self._pool, outside, self._open_history) as engine,
        ):
            self._injector.services.update(outside.ports)
            watching = asyncio.create_task(self._watch(engine))
            await engine.health(settled_within=2)
            late = await self._step("submit late", lambda: self._submit(engine, "import os\nos.system('x')"))
            await self._run_one(engine)
            await self._brake(engine)
            await self._deny(engine)
            await self._session(engine)
            await self._step("token", lambda: engine.tokens.create("bot", (TokenScope.SUBMIT,), 1, ADA))
            await self._step("secret", lambda: engine.secrets.set("KEY", "api.test", "x" * 20, ADA))
            await self._witnessed(engine)
            await self._notified(engine, outside)
            await self._recovered(engine, late)
            watching.cancel()
            for name in ("deadlines", "state folder", "recording", "policy reload", "session timeouts"):
                if name not in engine.supervisor.names:
                    self.outcome.broken.append(f"task {name} has ended")

    async def _step(self, name: str, work: Callable[[], Awaitable[T]]) -> T | None:
        try:
            async with asyncio.timeout(STEP_SECONDS):
                return await work()
        except TimeoutError:
            self.outcome.broken.append(f"{name}: no answer")
        except REFUSALS as error:
            self._refused(name, error)
        except Exception as error:
            self.outcome.broken.append(f"{name}: {type(error).__name__}: {error}")
        return None

    def _refused(self, name: str, error: BaseException) -> None:
        self.outcome.refused.append(name)
        self.outcome.told |= self._injector.hits > 0 or name == "start"
        if not str(error):
            self.outcome.broken.append(f"{name}: refused without a word")

    async def _watch(self, engine: Engine) -> None:
        """Look at Health while the fault lasts."""
        while True:
            if self._injector.hits and not self._injector.lifted:
                with contextlib.suppress(*REFUSALS):
                    health = await engine.health()
                    self.outcome.told |= any(not check.ok for check in health.checks)
            await asyncio.sleep(0.05)

    async def _submit(self, engine: Engine, code: str = "") -> Case:
        self._number += 1
        text = code or f"print({self._number})"
        case = await engine.submissions.submit(Draft(code=Untrusted(text), language=Language.PYTHON), AGENT)
        self.outcome.answered[case.submission.id] = case.status.value
        return case

    async def _decide(self, engine: Engine, case: Case, outcome: DecisionOutcome) -> Case:
        id, digest = case.submission.id, case.submission.digest
        decided = await engine.submissions.decide(id, ADA, outcome, digest)
        self.outcome.acted.append(("decision.made", id))
        return decided

    async def _approved(self, engine: Engine, name: str, code: str = "") -> Case | None:
        case = await self._step(f"submit {name}", lambda: self._submit(engine, code))
        if case is None:
            return None
        approve = DecisionOutcome.APPROVED
        return await self._step(f"approve {name}", lambda: self._decide(engine, case, approve))

    async def _run_one(self, engine: Engine) -> None:
        if case := await self._approved(engine, "one"):
            await self._step("run one", lambda: self._finished(engine, case))

    async def _finished(self, engine: Engine, case: Case) -> Case:
        over = await engine.queries.finished(case.submission.id, within=STEP_SECONDS)
        if over.result is None:
            raise TimeoutError
        self.outcome.answered[case.submission.id] = over.status.value
        self.outcome.acted.append(("run.ended", case.submission.id))
        if over.result.kill_reason is KillReason.SANDBOX_FAILED:
            self.outcome.told = True
            self.outcome.refused.append("a run failed, and says why")
        return over

    async def _brake(self, engine: Engine) -> None:
        """Pause, resume and kill a run: it is gone in time, whatever fails."""
        self._number += 1
        case = await self._approved(engine, "two", f"wait = {self._number}\nprint(wait)")
        if case is None or not await self._until(lambda: bool(self.machine.alive), 3):
            return
        id = case.submission.id
        await self._until(lambda: _status(engine, id) is Status.RUNNING, 3)
        for act in (engine.runs.pause, engine.runs.resume):
            await self._step(act.__name__, lambda act=act: act(id, ADA))  # type: ignore[misc]
        if _status(engine, id) is not Status.RUNNING:
            return
        began = time.monotonic()
        killed = await self._step("kill", lambda: _done(engine.runs.kill(id, ADA)))
        gone = await self._until(lambda: not self.machine.alive, BRAKE_SECONDS)
        self.outcome.brake_seconds = time.monotonic() - began
        if not gone or "kill" in self.outcome.refused:
            self.outcome.broken.append("brake: the sandbox is still there")
        if killed:
            self.outcome.acted.append(("run.kill", id))
        await self._step("run two", lambda: self._finished(engine, case))

    async def _deny(self, engine: Engine) -> None:
        if case := await self._step("submit three", lambda: self._submit(engine)):
            await self._step("deny", lambda: self._decide(engine, case, DecisionOutcome.DENIED))

    async def _session(self, engine: Engine) -> None:
        box = await self._step("session", lambda: engine.sessions.create(AGENT, Language.PYTHON))
        if box is None:
            return
        self.outcome.acted.append(("session.created", box.id))
        self._number += 1
        text = f"print('cell', {self._number})"
        case = await self._step("cell", lambda: engine.sessions.execute(box.id, AGENT, text))
        if case and await self._step(
            "approve cell", lambda: self._decide(engine, case, DecisionOutcome.APPROVED)
        ):
            await self._step("run cell", lambda: self._finished(engine, case))
        if await self._step("close session", lambda: engine.sessions.close(box.id, AGENT)):
            self.outcome.acted.append(("session.closed", box.id))

    async def _witnessed(self, engine: Engine) -> None:
        """Wait until the witness took a checkpoint or failed, where its connection is what is tried."""
        if self.outcome.site and "socket" not in self.outcome.site:
            return
        end = time.monotonic() + RECOVERY_SECONDS
        while time.monotonic() < end:
            (row,) = [one for one in (await engine.health()).checks if one.name.startswith("witness: ")]
            if not row.ok or "records" in row.detail.text:
                return
            await asyncio.sleep(0.02)
        self.outcome.broken.append("the witness was never asked")

    async def _notified(self, engine: Engine, outside: Services) -> None:
        """Wait until each receiver was told something or failed, where a network call is what is tried."""
        if self.outcome.site and "socket" not in self.outcome.site:
            return
        waiting = await self._step("submit four", lambda: self._submit(engine))
        end = time.monotonic() + RECOVERY_SECONDS
        while time.monotonic() < end:
            rows = [one for one in (await engine.health()).checks if one.name.startswith("notify: ")]
            if any(not one.ok for one in rows) or {MAIL, POSTED} <= outside.served.keys():
                break
            await asyncio.sleep(0.02)
        else:
            self.outcome.broken.append("a receiver was never told")
        if waiting:
            await self._step("deny four", lambda: self._decide(engine, waiting, DecisionOutcome.DENIED))

    async def _recovered(self, engine: Engine, late: Case | None) -> None:
        """Once the fault is lifted the next submission runs, what is late expires, and Health is green."""
        if self._injector.hits:
            self._injector.lift()
        began = time.monotonic()
        if not await self._until_well(engine):
            red = [f"{one.name}: {one.detail.text}" for one in (await engine.health()).checks if not one.ok]
            self.outcome.broken.append(f"not recovered: {'; '.join(red)}")
        before = len(self.outcome.refused)
        await self._run_one(engine)
        if len(self.outcome.refused) > before:
            self.outcome.broken.append("not recovered: a submission is refused")
        self.outcome.recovery_seconds = time.monotonic() - began
        if late and not await self._until(lambda: _status(engine, late.submission.id) is None, 10):
            self.outcome.broken.append("the deadline never passed")
        elif late:
            self.outcome.acted.append(("decision.expired", late.submission.id))

    async def _until_well(self, engine: Engine) -> bool:
        end = time.monotonic() + RECOVERY_SECONDS
        while time.monotonic() < end:
            rows = (await engine.health()).checks
            if all(one.ok for one in rows if one.name not in IGNORED):
                return True
            await asyncio.sleep(0.05)
        return False

    async def _until(self, holds: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not holds() and time.monotonic() < end:
            await asyncio.sleep(0.01)
        return holds()

    async def _reopened(self) -> None:
        """Open the history again: what was answered is there, and nothing ran twice."""
        log = await self._open_history(self.home)
        try:
            for id in self.outcome.answered:
                if await log.read.case(id) is None:
                    self.outcome.broken.append(f"lost: {id}")
            found = {(event.type, event.subject) for event in await log.read.events(limit=10_000)}
            lost = [one for one in self.outcome.acted if one not in found]
            self.outcome.broken += [f"lost: {type} of {id}" for type, id in lost]
            verified = await log.verify()
            if not verified.intact:
                self.outcome.broken.append(f"history: {verified.problem}")
        finally:
            await log.close()
        twice = [code for code, count in self.machine.executed.items() if count > 1]
        self.outcome.broken += [f"ran twice: {code!r}" for code in twice]
        if self.machine.alive:
            self.outcome.broken.append("a sandbox outlived its engine")


IGNORED = {"disk", "disk reserve", "endpoint: inbox", "engine log"}
"""Rows that tell about this machine, not about the fault."""


def _status(engine: Engine, id: str) -> Status | None:
    entry = engine.work_queue.find(id)
    return entry.case.status if entry else None


async def _done(work: Awaitable[None]) -> bool:
    await work
    return True


async def play(
    pool: AnalysisPool,
    site: str,
    fault: str,
    *,
    known: Injector | None = None,
    open_history: OpenHistory = in_sqlite,
) -> Outcome:
    """Play the scenario in a state folder of its own, with the calls of one site failing."""
    injector = known or Injector()
    if site:
        injector.arm(site, fault)
    home = Path(tempfile.mkdtemp(prefix="pratique-faults-"))
    with at_home(home), injecting(injector), postgres_calls(injector):
        try:
            return await Scenario(home, pool, injector, Outcome(site, fault), open_history).play()
        finally:
            shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def at_home(home: Path) -> Iterator[None]:
    before = os.environ.get("PRATIQUE_HOME")
    os.environ["PRATIQUE_HOME"] = str(home)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PRATIQUE_HOME"]
        else:
            os.environ["PRATIQUE_HOME"] = before


async def warm(pool: AnalysisPool) -> None:
    """Wait until a worker has started: that is no part of what is timed."""
    await pool.analyse("1", Language.PYTHON)


async def sites(pool: AnalysisPool, open_history: OpenHistory = in_sqlite) -> tuple[list[str], Outcome]:
    """Play the scenario without a fault; return the sites it passes, and its outcome."""
    await warm(pool)
    injector = Injector()
    outcome = await play(pool, "", "", known=injector, open_history=open_history)
    return sorted(injector.counts), outcome


async def postgres_sites(pool: AnalysisPool) -> list[str]:
    """Play the scenario with a history in PostgreSQL; return the connections and statements it passes."""
    names, _ = await sites(pool, in_postgres)
    return [name for name in names if name.startswith(MARK)]
