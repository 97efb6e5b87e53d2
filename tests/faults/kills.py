"""`python -m tests.faults.kills`: kills the engine, dockerd and containerd at random moments under load.

Everything that was answered has to be in the history, nothing twice, and all is well again in time. The
dockerd is one of the campaign's own, with a network namespace of its own, and needs root. Ctrl+C, `--minutes`
or something that does not come back ends a campaign early: what was done until then is checked and printed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.client.client import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Status
from tests.engine_process import EngineProcess
from tests.faults.load import ROOM, Load, broken
from tests.own_docker import Daemon, left_by, remove

CLIENTS = 5
LONGEST_SECONDS = 2.0
"""After how long at most something is killed that is well."""
RECOVERY_SECONDS = 300.0
"""How long something may take to come back, on a machine however busy, before the campaign ends."""
GONE_SECONDS = 10.0
"""How long a sandbox may take to go after its engine has ended."""
ASKED = {"engine": 10.0, "dockerd": 20.0, "containerd": 20.0}
"""Seconds to recovery that are asked for."""


@dataclass
class Campaign:
    """What came of it."""

    name: str
    until: float = float("inf")
    """When the last kill may be, by the monotonic clock."""
    seconds: list[float] = field(default_factory=list)
    submitted: int = 0
    decided: int = 0
    ended: int = 0
    broken: list[str] = field(default_factory=list)
    left: int = 0
    """Processes of sandboxes that were left over."""

    @property
    def row(self) -> str:
        """The row of the table."""
        times = sorted(self.seconds) or [0.0]
        p50, p95 = (times[int(len(times) * part)] for part in (0.5, 0.95))
        return (
            f"{self.name:<11} {len(self.seconds):>6} {self.submitted:>10} {self.decided:>8} {self.ended:>6} "
            f"{len(self.broken):>7} {self.left:>5} {p50:>7.1f} {p95:>7.1f} {times[-1]:>7.1f} "
            f"{ASKED[self.name]:>6.0f}"
        )


HEAD = "killed       times  submitted  decided   ended  broken  left     p50     p95    most  asked"


async def kill_engine(
    times: int, home: Path, clients: int = CLIENTS, until: float = float("inf")
) -> Campaign:
    """Kill an engine so many times under load, and start it again each time."""
    engine = _engine(home)
    engine.start()
    campaign = Campaign("engine", until)

    async def again() -> None:
        engine.end(signal.SIGKILL)
        await asyncio.to_thread(engine.start, RECOVERY_SECONDS)

    return await _killing(campaign, engine, times, clients, again, _answers)


async def kill_docker(
    times: int, home: Path, name: str, clients: int = CLIENTS, until: float = float("inf")
) -> Campaign:
    """Kill a dockerd or its containerd so many times under an engine that has load."""
    campaign = Campaign(name, until)
    async with _docker() as (daemon, folder):
        engine = _engine(home, DOCKER_HOST=f"unix://{daemon.socket}")
        engine.start()

        async def again() -> None:
            if name == "dockerd":
                daemon.kill()
                daemon.start()
            else:
                with contextlib.suppress(OSError, ValueError):  # it may be on its way back
                    os.kill(int(daemon.containerd.read_text()), signal.SIGKILL)
            await daemon.answers(RECOVERY_SECONDS)

        await _killing(campaign, engine, times, clients, again, _runs)
        campaign.left = await _left(folder)
    return campaign


async def _killing(
    campaign: Campaign,
    engine: EngineProcess,
    times: int,
    clients: int,
    again: Callable[[], Awaitable[None]],
    is_well: Callable[[EngineProcess], Awaitable[bool]],
) -> Campaign:
    ended = asyncio.Event()
    load = Load(engine, clients)
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, ended.set)
    try:
        async with load:
            while len(campaign.seconds) < times and not ended.is_set() and time.monotonic() < campaign.until:
                campaign.seconds.append(await _kill(engine, load, len(campaign.seconds), again, is_well))
    except (TimeoutError, AssertionError) as error:
        campaign.broken.append(f"not back after kill {len(campaign.seconds) + 1}: {str(error)[-200:]}")
    finally:
        code = await asyncio.to_thread(engine.end)
    campaign.broken += [f"the engine ended with {code}"] if code else []
    campaign.broken += await broken(engine.home, load.answered)
    answered = load.answered
    campaign.submitted, campaign.decided = len(answered.submitted), len(answered.decided)
    campaign.ended = len(answered.ended)
    return campaign


async def _kill(
    engine: EngineProcess,
    load: Load,
    number: int,
    again: Callable[[], Awaitable[None]],
    is_well: Callable[[EngineProcess], Awaitable[bool]],
) -> float:
    """Kill once more work was done, at a random moment; return after how many seconds all is well again."""
    async with asyncio.timeout(RECOVERY_SECONDS):
        await load.goes_on(to_the_end=number % 2 == 1)
    await asyncio.sleep(random.uniform(0, LONGEST_SECONDS))  # noqa: S311  no secret
    began = time.monotonic()
    await again()
    await _until(engine, is_well)
    return time.monotonic() - began


def _engine(home: Path, **settings: str) -> EngineProcess:
    return EngineProcess(home, **{**ROOM, "XDG_DATA_HOME": str(home / "data"), **settings})


async def _until(engine: EngineProcess, holds: Callable[[EngineProcess], Awaitable[bool]]) -> None:
    async with asyncio.timeout(RECOVERY_SECONDS):
        while not await holds(engine):
            await asyncio.sleep(0.05)


async def _answers(engine: EngineProcess) -> bool:
    """Return whether the engine answers."""
    with contextlib.suppress(Problem):
        async with engine.client() as client:
            await client.queue()
            return True
    return False


async def _runs(engine: EngineProcess) -> bool:
    """Return whether what is submitted and approved now runs."""
    with contextlib.suppress(Problem):
        async with engine.client("probe") as client:
            text = Untrusted(f"cat /etc/hostname; echo probe {time.monotonic_ns()}")
            case = await client.submit(Draft(code=text, language=Language.SHELL))
            id, digest = case.submission.id, case.submission.digest
            if case.status is Status.PENDING:
                await client.decide(id, DecisionOutcome.APPROVED, digest, "to probe it")
            result = (await client.case(id, within=20)).result
            return result is not None and result.exit_code == 0
    return False


@contextlib.asynccontextmanager
async def _docker() -> AsyncIterator[tuple[Daemon, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="pratique-docker-"))
    daemon = Daemon(folder)
    try:
        daemon.start()
        await daemon.answers()
        await asyncio.to_thread(daemon.load, "pratique/shell")
        yield daemon, folder
    finally:
        await asyncio.to_thread(daemon.stop)
        await asyncio.to_thread(remove, folder)


async def _left(folder: Path) -> int:
    """Return how many processes of sandboxes are there some time after the engine has ended."""
    end = time.monotonic() + GONE_SECONDS
    while (left := sum("runsc-" in _command(pid) for pid in left_by(folder))) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    return left


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


async def _all(chosen: argparse.Namespace) -> list[Campaign]:
    campaigns = []
    for name in ASKED:
        if times := getattr(chosen, name):
            until = time.monotonic() + chosen.minutes * 60
            with tempfile.TemporaryDirectory(prefix="pratique-kills-") as home:
                done = (
                    await kill_engine(times, Path(home), chosen.clients, until)
                    if name == "engine"
                    else await kill_docker(times, Path(home), name, chosen.clients, until)
                )
            print(done.row, *(f"  {line}" for line in done.broken), sep="\n", flush=True)
            campaigns.append(done)
    return campaigns


def main() -> int:
    """Print the table; return 1 where something was lost, done twice, or left over."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, times in (("engine", 500), ("dockerd", 50), ("containerd", 20)):
        parser.add_argument(f"--{name}", type=int, default=times, help=f"how often (default {times})")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="how long each campaign may take")
    print(HEAD)
    campaigns = asyncio.run(_all(parser.parse_args()))
    return int(any(one.broken or one.left for one in campaigns))


if __name__ == "__main__":
    sys.exit(main())
