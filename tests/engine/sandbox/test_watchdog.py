"""When an engine dies its sandboxes end, without Docker; while it lives its watchdog does nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.sandbox.drivers.docker import frozen, ownership, watchdog, watchdog_process
from engine.sandbox.drivers.docker.watchdog import end_all
from tests.engine.sandbox.test_docker_restart import DEAD, ID, VERSIONS, machine
from tests.engine_process import EngineProcess
from tests.sandboxes import containers_of

MOST_KILOBYTES = 16 * 1024
OURS = {**DEAD, "pratique.engine": "ours"}


@pytest.mark.parametrize("version", VERSIONS)
def test_its_sandboxes_are_resumed_and_killed_on_either_version(tmp_path: Path, version: str) -> None:
    """A frozen group is thawed, and each process of it is killed."""
    with subprocess.Popen(["sleep", "60"]) as victim:
        proc, root = machine(tmp_path, version, OURS)
        (proc / "77").rename(proc / str(victim.pid))
        assert 1 == end_all("ours", "1/1", str(proc), str(root))
        assert -signal.SIGKILL == victim.wait(10)
    file, thawed = VERSIONS[version][1].format(ID), {"1": "THAWED", "2": "0"}[version]
    assert thawed == (tmp_path / "cgroup" / file).read_text()[: len(thawed)]


@pytest.mark.parametrize(
    "labels", [{}, DEAD, {**OURS, "pratique.engine": "other"}, {**OURS, "pratique.process": "1/2"}]
)
def test_sandboxes_of_others_are_left_alone(tmp_path: Path, labels: dict[str, str]) -> None:
    """Another engine's, another process's of the same engine, and what has no labels."""
    proc, root = machine(tmp_path, "1", labels)
    assert 0 == end_all("ours", "1/1", str(proc), str(root))


async def test_it_ends_with_the_task_that_keeps_it() -> None:
    """An orderly stop leaves no process behind."""
    name = f"test-{os.getpid()}"
    keeping = asyncio.create_task(watchdog_process.keep(ownership.current(name)))
    pid = await _watchdog_of(name)
    keeping.cancel()
    await asyncio.wait({keeping})
    assert not Path(f"/proc/{pid}").exists()


async def test_one_that_is_killed_is_missed() -> None:
    """Its end is an error of the task that keeps it, which is started again."""
    name = f"test-{os.getpid()}"
    keeping = asyncio.create_task(watchdog_process.keep(ownership.current(name)))
    os.kill(await _watchdog_of(name), signal.SIGKILL)
    with pytest.raises(OSError, match="ended with exit code -9"):
        await keeping


async def test_it_takes_little_memory() -> None:
    """A bare interpreter that has imported nothing of the engine."""
    name = f"test-{os.getpid()}"
    keeping = asyncio.create_task(watchdog_process.keep(ownership.current(name)))
    pid = await _watchdog_of(name)
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    keeping.cancel()
    await asyncio.wait({keeping})
    assert resident < MOST_KILOBYTES


def test_it_needs_no_package() -> None:
    """It starts from its file alone, and ends once nobody holds its input and nothing is left."""
    command = [sys.executable, "-I", "-S", "-X", "importtime", watchdog.__file__, "nobody", "1/1"]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60
    )
    assert "engine" not in ended.stderr


@pytest.mark.sandbox
async def test_a_killed_engine_leaves_no_sandbox_behind(tmp_path: Path) -> None:
    """Stopped it keeps its sandboxes; killed it loses them without Docker, frozen ones included."""
    engine = EngineProcess(
        tmp_path, PRATIQUE_SANDBOX__IMAGES='{"shell": "shell"}', PRATIQUE_SANDBOX__POOL="2"
    )
    engine.start()
    try:
        left = await _until_frozen(engine.name)
        os.kill(engine.pid, signal.SIGSTOP)
        await asyncio.sleep(0.5)
        assert left <= _frozen_of(engine.name)
        engine.end(signal.SIGKILL)
        async with asyncio.timeout(30):
            while _alive(left):
                await asyncio.sleep(0.02)
        async with asyncio.timeout(30):
            while _watchdogs(engine.name):
                await asyncio.sleep(0.05)
        assert not _frozen_of(engine.name)
    finally:
        engine.end(signal.SIGKILL)
        _remove(engine.name)


async def _until_frozen(engine: str) -> set[str]:
    async with asyncio.timeout(120):
        while not (found := _frozen_of(engine)):
            await asyncio.sleep(0.1)
    return found


def _frozen_of(engine: str) -> set[str]:
    found = frozen.frozen_sandboxes()
    return {one.container for one in found if one.labels.get("pratique.engine") == engine}


def _alive(containers: set[str]) -> bool:
    bundles = [watchdog.bundle_of(str(process)) for process in Path("/proc").glob("[0-9]*")]
    return any(bundle.rpartition("/")[2] in containers for bundle in bundles if bundle)


def _watchdogs(engine: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_text().split("\0")
            if watchdog.__file__ in words and engine in words:
                found.append(int(process.name))
    return found


async def _watchdog_of(engine: str) -> int:
    async with asyncio.timeout(30):
        while not (found := _watchdogs(engine)):
            await asyncio.sleep(0.01)
    return found[0]


def _remove(engine: str) -> None:
    for container in containers_of(engine):
        subprocess.run(["docker", "rm", "--force", container], check=True, capture_output=True, timeout=60)
