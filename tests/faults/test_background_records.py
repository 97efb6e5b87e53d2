"""Whatever the engine records by itself while the disk is full: it lives, says so, and makes it up later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from engine import locations
from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.models import Case, DecisionOutcome, Draft, Language, SessionState, Status
from engine.models.response import BlockKind, BlockTarget, ResponseRequest
from tests.faults.injection import Injector, injecting
from tests.faults.machine import Machine
from tests.faults.scenario import ADA, AGENT, engine_at

SECONDS = 20.0
WAITS = "wait = 1\nprint(wait)"
LATE = "import os\nos.system('x')"


@dataclass
class Stage:
    """An engine whose disk can be full."""

    engine: Engine
    machine: Machine
    injector: Injector

    def fill(self) -> None:
        """Let every commit fail, as SQLite does on a full disk."""
        self.injector.arm("Ledger.commit", "full")

    async def submitted(self, code: str) -> Case:
        """Submit code."""
        return await self.engine.submissions.submit(
            Draft(code=Untrusted(code), language=Language.PYTHON), AGENT
        )

    async def running(self, code: str = WAITS) -> str:
        """Submit, approve and start code, and return its id."""
        case = await self.submitted(code)
        id = case.submission.id
        await self.engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, case.submission.digest)
        await until(lambda: self.status(id) is Status.RUNNING)
        return id

    def status(self, id: str) -> Status | None:
        """Return the status of an open submission."""
        entry = self.engine.work_queue.find(id)
        return entry.case.status if entry else None

    async def red(self) -> set[str]:
        """Return the failing rows of Health."""
        return {check.name for check in (await self.engine.health()).checks if not check.ok}

    async def recorded(self, type: str, subject: str = "") -> bool:
        """Return whether an event is in the history."""
        events = await self.engine._log.read.events(limit=10_000)
        return any(event.type == type and subject in {"", event.subject} for event in events)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(SECONDS):
        while not holds():
            await asyncio.sleep(0.01)


async def until_async(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for a condition that is asked for."""
    async with asyncio.timeout(SECONDS):
        while not await holds():
            await asyncio.sleep(0.02)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """Yield an engine over a state folder of its own."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    machine, injector, pool = Machine(), Injector(), AnalysisPool(workers=1)
    with injecting(injector):
        async with engine_at(tmp_path, machine, pool) as engine:
            await engine.health(settled_within=5)
            yield Stage(engine, machine, injector)
            injector.lift()
    await pool.close()


Member = Callable[[Stage], Awaitable[tuple[str, str]]]
"""Fills the disk, lets something happen in the background, and returns the event that it has to leave."""


async def _deadline(stage: Stage) -> tuple[str, str]:
    case = await stage.submitted(LATE)
    stage.fill()
    return "decision.expired", case.submission.id


async def _holder_leaves(stage: Stage) -> tuple[str, str]:
    case = await stage.submitted("print(1)")
    id = case.submission.id
    stage.engine.work_queue._leases._grace = 0.01  # type: ignore[attr-defined]
    stage.fill()
    stage.engine.work_queue.lease("agent-1", id)
    return "decision.made", id


async def _run_ends(stage: Stage) -> tuple[str, str]:
    id = await stage.running()
    stage.fill()
    for guest in list(stage.machine.alive.values()):
        guest._report()
    return "run.ended", id


async def _run_prints(stage: Stage) -> tuple[str, str]:
    id = await stage.running()
    stage.fill()
    for guest in list(stage.machine.alive.values()):
        await guest.print(b"more")
    return "run.output", id


async def _run_starts(stage: Stage) -> tuple[str, str]:
    case = await stage.submitted("print(2)")
    id = case.submission.id
    await stage.engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, case.submission.digest)
    stage.fill()
    return "run.ended", id


async def _guest_dies(stage: Stage) -> tuple[str, str]:
    id = await stage.running()
    stage.fill()
    for guest in list(stage.machine.alive.values()):
        guest.kill_processes()
    return "run.ended", id


async def _session_idles(stage: Stage) -> tuple[str, str]:
    box = await stage.engine.sessions.create(AGENT, Language.PYTHON)
    stage.fill()
    stage.engine._registry.replace(box.model_copy(update={"idle_seconds": 0.01}))
    return "session.closed", box.id


async def _policy_saved(stage: Stage) -> tuple[str, str]:
    stage.fill()
    locations.policy_file().write_text("rules:\n  - {id: network, risk: medium}\n")
    return "policy.loaded", ""


async def _policy_broken(stage: Stage) -> tuple[str, str]:
    stage.fill()
    locations.policy_file().write_text("rules: [{id: x, rsik: low}]\n")
    return "policy.refused", ""


async def _witness_fails(stage: Stage) -> tuple[str, str]:
    stage.fill()
    witness = stage.engine._events.witness
    stage.engine.supervisor.start("witnesses", lambda: witness("witness.failed", "far away", "no answer"))
    return "witness.failed", ""


async def _docker_is_lost(stage: Stage) -> tuple[str, str]:
    id = await stage.running()
    stage.fill()
    stage.engine._backend.control.lose_all()  # type: ignore[attr-defined]
    return "run.ended", id


async def _task_fails_unexpectedly(stage: Stage) -> tuple[str, str]:
    case = await stage.submitted(LATE)
    stage.fill()

    async def wrong() -> None:
        raise ZeroDivisionError

    stage.engine.supervisor.start("wrong", wrong)
    return "decision.expired", case.submission.id


MEMBERS: dict[str, Member] = {
    "a deadline passes": _deadline,
    "the holder of a submission leaves": _holder_leaves,
    "a run ends": _run_ends,
    "a run prints": _run_prints,
    "a run starts": _run_starts,
    "a guest dies": _guest_dies,
    "a session idles": _session_idles,
    "a policy is saved": _policy_saved,
    "a broken policy is saved": _policy_broken,
    "a witness fails": _witness_fails,
    "docker is lost": _docker_is_lost,
    "another task fails": _task_fails_unexpectedly,
}


@pytest.mark.parametrize("member", MEMBERS)
async def test_what_happens_on_a_full_disk_is_recorded_once_there_is_space(stage: Stage, member: str) -> None:
    """The engine answers, Health is red, new work is refused with what to type; then all is made up."""
    type, subject = await MEMBERS[member](stage)
    before = await stage.engine._log.read.events(limit=10_000)
    await until(lambda: stage.injector.hits > 0)
    await until_async(lambda: _is_red(stage))
    with pytest.raises((Problem, HistoryError)) as refused:
        await stage.submitted("print(9)")
    assert getattr(refused.value, "hint", "")
    known = [event for event in before if event.type == type and subject in {"", event.subject}]
    stage.injector.lift()
    await until_async(lambda: _is_more(stage, type, subject, len(known)))
    await until_async(lambda: _is_green(stage))
    assert Status.PENDING is (await stage.submitted("print(10)")).status


async def _is_red(stage: Stage) -> bool:
    return bool({"recording", "unsaved records"} & await stage.red())


async def _is_green(stage: Stage) -> bool:
    return not {name for name in await stage.red() if name.startswith(("task:", "recording", "unsaved"))} - {
        "task: wrong"
    }


async def _is_more(stage: Stage, type: str, subject: str, known: int) -> bool:
    events = await stage.engine._log.read.events(limit=10_000)
    return known < sum(event.type == type and subject in {"", event.subject} for event in events)


BRAKES = ("stop", "kill", "pause", "close", "respond")
TROUBLES = (
    ("Ledger.commit", "full"),
    ("Ledger.commit", "hang"),
    ("Ledger.begin", "read-only"),
    ("", "docker"),
)
BRAKE_SECONDS = 3.0
RECORDED = {
    "close": ("session.closed",),
    "respond": ("run.stop", "block.created", "response.made"),
}
"""What is recorded in the end."""


@pytest.mark.parametrize("brake", BRAKES)
@pytest.mark.parametrize("trouble", TROUBLES, ids="-".join)
async def test_whoever_stops_a_run_stops_it(stage: Stage, brake: str, trouble: tuple[str, str]) -> None:
    """On a full, hanging or read-only disk, with a runtime that hangs: it acts first, and records later."""
    box = await stage.engine.sessions.create(AGENT, Language.PYTHON)
    case = await stage.engine.sessions.execute(box.id, AGENT, WAITS)
    id = case.submission.id
    await stage.engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, case.submission.digest)
    await until(lambda: stage.status(id) is Status.RUNNING)
    (guest,) = stage.machine.alive.values()
    if site := trouble[0]:
        stage.injector.arm(site, trouble[1])
    else:
        stage.machine.hanging = True
    async with asyncio.timeout(BRAKE_SECONDS):
        await _apply(stage, brake, id, box.id)
        while not (guest.paused if brake == "pause" else not guest.running or _said_end(guest)):
            await asyncio.sleep(0.01)
    stage.injector.lift()
    stage.machine.hanging = False
    for event in RECORDED.get(brake, (f"run.{brake}",)):
        await until_async(partial(stage.recorded, event))


async def _apply(stage: Stage, brake: str, run: str, session: str) -> None:
    if brake == "close":
        assert SessionState.CLOSED is (await stage.engine.sessions.close(session, AGENT)).state
    elif brake == "respond":
        blocked = BlockTarget(kind=BlockKind.HOST, value=Untrusted("evil.example"))
        request = ResponseRequest(stop=(run,), block=(blocked,))
        assert () == (await stage.engine.responses.carry_out(request, ADA)).problems
        assert stage.engine.blocks.holds(BlockKind.HOST, "evil.example")
    else:
        await getattr(stage.engine.runs, brake)(run, ADA)


def _said_end(guest: object) -> bool:
    """Whether the code of a session has ended, which keeps its sandbox."""
    return bool(getattr(guest, "reported", False))


async def test_an_engine_stops_in_time_on_a_full_disk_with_a_hanging_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sandbox is gone within seconds; the next engine says that the run was interrupted."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    machine, injector, pool = Machine(), Injector(), AnalysisPool(workers=1)
    with injecting(injector):
        async with engine_at(tmp_path, machine, pool) as engine:
            await engine.health(settled_within=5)
            stage = Stage(engine, machine, injector)
            id = await stage.running()
            stage.fill()
            machine.hanging = True
            began = asyncio.get_running_loop().time()
        assert {} == machine.alive
        gone = max(machine.gone_at.values())
        injector.lift()
        machine.hanging = False
        async with engine_at(tmp_path, machine, pool) as engine:
            case = await engine.queries.case(id)
    await pool.close()
    assert Status.KILLED is case.status
    assert gone > 0
    assert began > 0
    assert 1 == machine.executed[WAITS.encode()]
