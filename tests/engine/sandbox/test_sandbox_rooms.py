"""The pure parts of the sandbox room: recipe, proof, ownership, turns, control groups, artifacts."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.models import InputFile, Language, Limits
from engine.sandbox.api.job import Job
from engine.sandbox.drivers.docker import container_spec, ownership
from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.docker_client import DockerClient
from engine.sandbox.drivers.docker.reaper import end_leftovers
from engine.sandbox.drivers.linux.cgroup import Cgroup
from engine.sandbox.isolation.probe import judge
from engine.sandbox.run.artifacts import select_artifacts
from engine.sandbox.run.pool import ImagePool
from engine.sandbox.run.scheduler import FairScheduler

HOST = container_spec.host_config("runsc", Language.PYTHON, Limits(), 2.0)


# --- recipe


def test_a_sandbox_gets_nothing_of_the_host() -> None:
    """No network, no writable root, no capability, no bind mount, no log, no swap."""
    assert ("none", True, ["ALL"], ["no-new-privileges"], "none") == (
        HOST["NetworkMode"], HOST["ReadonlyRootfs"], HOST["CapDrop"], HOST["SecurityOpt"],
        HOST["LogConfig"]["Type"],
    )  # fmt: skip
    assert HOST["Memory"] == HOST["MemorySwap"]
    assert not {"Binds", "Mounts", "Devices", "Privileged", "ExtraHosts", "Links"} & HOST.keys()


def test_the_fuse_stands_above_the_real_limit() -> None:
    """The host's task limit is at least four times the guest's own: it is only a fuse."""
    nproc = next(limit["Hard"] for limit in HOST["Ulimits"] if limit["Name"] == "nproc")
    assert HOST["PidsLimit"] >= 4 * nproc


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Runtime", {"HostConfig": {"Runtime": "runc"}}),
        ("NetworkMode", {"HostConfig": {"NetworkMode": "bridge"}}),
        ("Memory", {"HostConfig": {"Memory": 0}}),
        ("Binds", {"HostConfig": {"Binds": ["/:/host"]}}),
        ("Binds", {"HostConfig": {"Privileged": True}}),
        ("Image", {"Image": "sha256:other"}),
        ("State", {"State": {"Running": False}}),
    ],
)
def test_a_broken_promise_is_named(name: str, change: dict[str, object]) -> None:
    """A ready sandbox that differs from what was asked for is found before code goes in."""
    seen: dict[str, object] = {"HostConfig": dict(HOST), "Image": "sha256:it", "State": {"Running": True}}
    assert () == container_spec.spec_drift(seen, "sha256:it", HOST)
    for key, value in change.items():
        seen[key] = HOST | value if isinstance(value, dict) and key == "HostConfig" else value
    assert (name,) == container_spec.spec_drift(seen, "sha256:it", HOST)


# --- proof


@pytest.mark.parametrize(
    ("isolated", "said"),
    [
        (True, "4.4.0\n[    0.000000] Starting gVisor...\n[    0.25] Feeding the init monster...\n"),
        (False, "6.1.0-18-amd64\n[    0.000000] Starting gVisor...\n"),
        (False, "4.4.0\n[    0.000000] Linux version 4.4.0\n[    1.0] Starting gVisor...\n"),
        (False, "4.4.0\n"),
        (False, ""),
        (False, "\n[    0.000000] Starting gVisor...\n"),
    ],
)
def test_only_gvisors_own_log_on_another_kernel_is_a_proof(isolated: bool, said: str) -> None:
    """The host's own kernel, an empty log, or the words further down prove nothing."""
    assert isolated == judge(said, "6.1.0-18-amd64", "runsc").isolated


# --- ownership


def _labels(**changes: str) -> dict[str, str]:
    return ownership.current("me").labels("image") | {
        f"pratique.{name}": value for name, value in changes.items()
    }


DEAD = "999999999/1"


@pytest.mark.parametrize(
    ("orphan", "labels"),
    [
        (False, {}),
        (False, {"pratique.created": "0"}),
        (False, _labels()),
        (False, _labels(engine="other")),
        (True, _labels(engine="other", process=DEAD)),
        (True, _labels(process=DEAD)),
        (True, _labels(process="")),
        (True, _labels(process="../../1")),
        (True, _labels(process=f"{os.getpid()}/1")),
        (False, _labels(process=DEAD, machine="elsewhere")),
        (True, _labels(process=DEAD, machine="elsewhere", created="1")),
        (True, _labels(process=DEAD, machine="elsewhere", created="yesterday")),
    ],
)
def test_what_has_no_living_owner_is_orphaned(orphan: bool, labels: dict[str, str]) -> None:
    """Foreign containers and those of living engines stay; a reused process number is no owner."""
    assert orphan == ownership.orphaned(labels, ownership.current("me"))


COLLECTED = time.time()
"""When the labels below were made."""


@pytest.mark.parametrize(
    ("left", "labels"),
    [
        (False, _labels()),
        (True, _labels(created="1")),
        (False, _labels(created="1", engine="other")),
        (False, _labels(created="1", process=DEAD)),
        (False, {}),
    ],
)
def test_what_an_engine_made_and_does_not_use_is_forgotten(left: bool, labels: dict[str, str]) -> None:
    """Only its own, and only what has been on its way for too long."""
    assert left == ownership.leaked(labels, ownership.current("me"), COLLECTED)


def test_nobody_is_alive_on_an_unknown_machine() -> None:
    """Where process numbers mean nothing only age decides."""
    me = Ownership("me", "unknown", "1/1")
    assert not ownership.orphaned(_labels(process=DEAD, machine="unknown"), me)


# --- turns


async def test_turns_are_shared_out_by_principal() -> None:
    """One who asks a hundred times waits behind one who asks once."""
    turns, order = FairScheduler(1), list[str]()

    async def run(principal: str) -> None:
        async with turns.slot(principal):
            order.append(principal)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for principal in ["flood"] * 4 + ["one"]:
            group.create_task(run(principal))
    assert ["flood", "flood", "one", "flood", "flood"] == order


async def test_the_place_in_the_queue_is_told() -> None:
    """At once is 0; behind five of another's wishes comes a first wish second."""
    turns = FairScheduler(1)
    assert 0 == turns.ahead("flood")
    async with turns.slot(""):
        pending = [asyncio.create_task(turns.slot("flood").__aenter__()) for _ in range(5)]
        await asyncio.sleep(0)
        assert (2, 6) == (turns.ahead("one"), turns.ahead("flood"))
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def test_who_waits_is_told_for_how_long() -> None:
    """At once nothing is told; behind one turn a place and a guess that follows what turns take."""
    turns = FairScheduler(1)
    assert turns.queued("one") is None
    async with turns.slot(""):
        first = turns.queued("one")
    async with turns.slot(""):
        second = turns.queued("one")
    assert first is not None
    assert second is not None
    assert (1, 1) == (first.position, second.position)
    assert 0 < second.seconds < first.seconds


def test_a_shelf_grows_with_demand_and_shrinks_without() -> None:
    """Each who found it empty of late adds one, up to the most; a minute later they count no more."""
    image_pool = ImagePool(Language.PYTHON, "image")
    image_pool.misses.extend([0.0, 1.0, 2.0])
    assert (3, 4, 1, 0) == (
        image_pool.wanted(1, 3, now=3),
        image_pool.wanted(1, 9, now=3),
        image_pool.wanted(1, 9, now=100),
        image_pool.wanted(0, 9, now=100),
    )


async def test_no_more_run_than_there_are_places() -> None:
    """The cap holds, and whoever gives up waiting takes no place with it."""
    turns, now, most = FairScheduler(3), 0, 0

    async def run() -> None:
        nonlocal now, most
        async with turns.slot(""):
            now += 1
            most = max(most, now)
            try:
                await asyncio.sleep(0)
            finally:
                now -= 1

    tasks = [asyncio.create_task(run()) for _ in range(40)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert 3 == most
    async with asyncio.timeout(5), turns.slot(""), turns.slot(""), turns.slot(""):
        assert 0 == turns.pending


# --- control groups


def test_version_1_files_are_read(tmp_path: Path) -> None:
    """CPU, memory, peak, tasks, kills and fuse come from the controllers' own folders."""
    files = {
        "memory/b/memory.usage_in_bytes": "100", "memory/b/memory.max_usage_in_bytes": "200",
        "memory/b/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        "cpuacct/b/cpuacct.usage": "1500000000", "pids/b/pids.current": "7", "pids/b/pids.events": "max 3\n",
    }  # fmt: skip
    _write(tmp_path, files | {"proc/5/cgroup": "4:memory:/b\n3:cpu,cpuacct:/b\n2:pids:/b\n0::/\n"})
    group = Cgroup.of(5, "b", tmp_path / "proc", tmp_path)
    assert group is not None
    usage = group.read()
    assert usage is not None
    assert (1.5, 100, 200, 7, 2, 3) == (
        usage.cpu_seconds, usage.memory, usage.memory_peak,
        usage.tasks, usage.oom_kills, usage.pids_limit_hits,
    )  # fmt: skip


def test_version_2_files_are_read_and_written(tmp_path: Path) -> None:
    """One folder holds all; the peak is the engine's own where the kernel has none."""
    files = {
        "b/memory.current": "100", "b/memory.events": "low 0\noom 1\noom_kill 1\n", "b/pids.current": "7",
        "b/cpu.stat": "usage_usec 2500000\nuser_usec 1\n", "b/pids.events": "max 0\n",
    }  # fmt: skip
    _write(tmp_path, files | {"proc/5/cgroup": "0::/b\n"})
    group = Cgroup.of(5, "b", tmp_path / "proc", tmp_path)
    assert group is not None
    first = group.read()
    _write(tmp_path, {"b/memory.current": "60"})
    second = group.read()
    assert first is not None
    assert second is not None
    assert (2.5, 100, 60, 100, 1) == (
        first.cpu_seconds, first.memory, second.memory, second.memory_peak, second.oom_kills,
    )  # fmt: skip
    assert group.limit(64 * 2**20, 0.5)
    assert ("67108864", "50000 100000") == (
        (tmp_path / "b/memory.max").read_text(), (tmp_path / "b/cpu.max").read_text(),
    )  # fmt: skip


def test_a_group_that_is_gone_or_shared_is_none(tmp_path: Path) -> None:
    """A process in the host's root group is no sandbox of ours: it is neither read, frozen nor killed."""
    _write(tmp_path, {"proc/5/cgroup": "0::/\n", "memory.current": "1"})
    _write(tmp_path, {"proc/7/cgroup": "0::/other\n", "other/memory.current": "1"})
    assert Cgroup.of(7, "b", tmp_path / "proc", tmp_path) is None
    assert Cgroup.of(5, "b", tmp_path / "proc", tmp_path) is None
    assert Cgroup.of(6, "b", tmp_path / "proc", tmp_path) is None


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# --- artifacts


def test_only_new_well_named_files_are_artifacts() -> None:
    """Unchanged input is no artifact; names that climb, repeat or are no text are left."""
    given = InputFile(name=Untrusted("in.csv"), content=b"1")
    job = Job("r", Language.PYTHON, "i", b"", (given,), Limits())
    files = [("in.csv", b"1"), ("../x", b""), ("/x", b""), ("a", b"1"), ("a", b"2"), ("plot.png", b"P")]
    found, notes = select_artifacts(job, files)
    assert ["a", "plot.png"] == [artifact.name.text for artifact, _ in found]
    assert ("3 files were left in the sandbox",) == notes


# --- leftovers


def test_runtime_processes_of_removed_containers_are_killed() -> None:
    """Only a runtime's process that names a container which this engine removed is killed."""
    gone, sleep = "c0ffee" * 10, "import time; time.sleep(60)"
    named = {
        "ours": ["runsc-sandbox", "-c", sleep, gone],
        "foreign": ["runsc-sandbox", "-c", sleep, "beef" * 16],
        "other": ["editor", "-c", sleep, gone],
    }
    running = {name: subprocess.Popen(command, executable=sys.executable) for name, command in named.items()}
    try:
        asyncio.run(end_leftovers(NoContainers(1.0), {gone}))
        assert -signal.SIGKILL == running["ours"].wait(10)
        assert [None, None] == [running[name].poll() for name in ("foreign", "other")]
    finally:
        for process in running.values():
            process.kill()
            process.wait()


class NoContainers(DockerClient):
    """A Docker that knows no containers."""

    async def call(self, method: str, *args: Any, deadline: float | None = None, **options: Any) -> Any:
        """Answer with an empty list."""
        return []
