"""Nothing that is paused keeps Docker from starting again: neither of this engine nor of one that died."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.models import KillReason, Language
from engine.sandbox.api.driver import STANDARD_LIMITS, SandboxSpec
from engine.sandbox.drivers.docker import frozen, ownership
from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run import heartbeat
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from engine.setup import doctor
from tests.own_docker import Daemon, remove
from tests.sandboxes import Recorder, containers_of, digest_of, job, sandbox_manager

ID = "a" * 64
DEAD = {"pratique": "1", "pratique.machine": ownership.machine(), "pratique.process": "1/1"}
VERSIONS = {
    "1": ("5:freezer:/docker/{0}\n4:memory:/docker/{0}\n", "freezer/docker/{0}/freezer.state", "FROZEN"),
    "2": ("0::/docker/{0}\n", "docker/{0}/cgroup.freeze", "1"),
}


def machine(folder: Path, version: str, labels: dict[str, str], state: str = "") -> tuple[Path, Path]:
    """Write what a host shows of one sandbox: its process, group, bundle and Docker's own files."""
    groups, file, frozen_as = VERSIONS[version]
    docker, bundle = folder / f"lib/containers/{ID}", folder / f"run/moby/{ID}"
    config = {"mounts": [{"source": "proc"}, {"source": f"{docker}/hostname"}]}
    files = {
        folder / "proc/77/cmdline": f"runsc-sandbox\0boot\0--bundle={bundle}\0{ID}\0",
        folder / "proc/77/cgroup": groups.format(ID),
        folder / "cgroup" / file.format(ID): state or frozen_as,
        folder / f"cgroup/memory/docker/{ID}/x": "",
        folder / f"cgroup/docker/{ID}/memory.current": "1",
        bundle / "config.json": json.dumps(config),
        docker / "config.v2.json": json.dumps({"Config": {"Labels": labels}}),
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder / "proc", folder / "cgroup"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_frozen_sandbox_is_found_and_resumed_without_docker(tmp_path: Path, version: str) -> None:
    """Its labels come from Docker's files; it is resumed before it is killed."""
    (found,) = frozen.frozen_sandboxes(*machine(tmp_path, version, DEAD))
    assert (ID, DEAD) == (found.container, found.labels)
    found.end()
    file, thawed = VERSIONS[version][1].format(ID), {"1": "THAWED", "2": "0"}[version]
    assert thawed == (tmp_path / "cgroup" / file).read_text()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "proc/77/cmdline").write_text(f"bash\0--bundle=/x/{ID}\0"),
        lambda folder: (folder / "proc/77/cmdline").write_text("runsc-sandbox\0boot\0"),
        lambda folder: (folder / "proc/77/cmdline").write_text("runsc-sandbox\0--bundle=/x/short\0"),
        lambda folder: (folder / "proc/77/cgroup").write_text("4:memory:/other\n0::/other\n"),
        lambda folder: (folder / "proc/77/cgroup").unlink(),
        lambda folder: (folder / f"run/moby/{ID}/config.json").write_text("{"),
        lambda folder: (folder / f"run/moby/{ID}/config.json").write_text('{"mounts": []}'),
        lambda folder: (folder / f"lib/containers/{ID}/config.v2.json").unlink(),
        lambda folder: (folder / f"lib/containers/{ID}/config.v2.json").write_text(
            '{"Config": {"Labels": 1}}'
        ),
        lambda folder: [machine(folder, version, {"someone": "else"}) for version in VERSIONS],
    ],
)
def test_what_is_not_certainly_ours_is_left_alone(tmp_path: Path, version: str, spoil: object) -> None:
    """Other programs, other groups, other people's containers, and files that cannot be read."""
    proc, root = machine(tmp_path, version, DEAD)
    assert callable(spoil)
    spoil(tmp_path)
    assert () == frozen.frozen_sandboxes(proc, root)


@pytest.mark.parametrize(("version", "state"), [("1", "THAWED"), ("2", "0")])
def test_what_is_not_frozen_is_left_alone(tmp_path: Path, version: str, state: str) -> None:
    """A sandbox that runs is not touched, whoever owns it."""
    assert () == frozen.frozen_sandboxes(*machine(tmp_path, version, DEAD, state))


# --- with a Docker of the tests' own


@pytest.fixture
async def daemon(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemon]:
    """A Docker of the test's own, with the image for shell, that everything here uses."""
    folder = Path(tempfile.mkdtemp(prefix="pratique-docker-"))
    daemon = Daemon(folder)
    daemon.start()
    await daemon.answers()
    await asyncio.to_thread(daemon.load, "pratique/shell")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{daemon.socket}")
    monkeypatch.setattr(heartbeat, "_SECONDS", 0.25)
    digest_of.cache_clear()
    yield daemon
    digest_of.cache_clear()
    await asyncio.to_thread(daemon.stop)
    await asyncio.to_thread(remove, folder)
    gc.collect()


cut_off = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Docker dies under connections that are open."""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a dockerd of its own needs root")


@pytest.fixture
def own_engine() -> Iterator[str]:
    """The name of an engine whose last process is killed, whatever happened."""
    engine = "test-restart"
    yield engine
    for sandbox in frozen.frozen_sandboxes():
        if sandbox.labels.get("pratique.engine") == engine:
            sandbox.end()


@needs_root
@cut_off
@pytest.mark.sandbox
async def test_docker_restarts_while_the_engine_has_paused_sandboxes(daemon: Daemon, own_engine: str) -> None:
    """After a crash Docker answers again, the engine proves isolation again, and runs go on."""
    shell = Language.SHELL
    manager = sandbox_manager(SandboxSettings(pool=2), own_engine)
    await manager.start()
    try:
        await manager.warm([(shell, "pratique/shell")])
        staying = replace(job("x=1", shell), session="s-1", principal="ada")
        await manager.run(staying, Recorder())
        await _filled(manager)
        assert 3 == len([one for one in frozen.frozen_sandboxes() if _is_of(one, own_engine)])
        daemon.kill()
        daemon.start()
        await daemon.answers()
        async with asyncio.timeout(60):
            while manager.proof is None:
                await asyncio.sleep(0.05)
        watcher = Recorder()
        result = await manager.run(job("echo again", shell), watcher)
        assert (KillReason.NONE, b"again\n") == (result.kill_reason, watcher.stdout)
    finally:
        await manager.close()
    assert [] == containers_of(own_engine)


@needs_root
@cut_off
@pytest.mark.sandbox
async def test_docker_restarts_once_an_engine_starts_after_one_that_was_killed(
    daemon: Daemon, own_engine: str
) -> None:
    """Doctor names the sandbox that the killed engine left frozen; the next engine ends it first of all."""
    driver = DockerDriver("runsc", 20.0, own_engine)
    driver.factory.owner = Ownership(own_engine, ownership.machine(), "1/1")
    left = await driver.create(SandboxSpec(digest_of("pratique/shell"), Language.SHELL, STANDARD_LIMITS))
    assert left.pause(True)
    daemon.kill()
    (row,) = doctor.frozen_rows()
    assert (False, True) == (row.ok, left.id[:12] in row.detail.text)
    daemon.start()
    following = sandbox_manager(SandboxSettings(pool=0), own_engine)
    await following.start()
    try:
        await daemon.answers()
        assert () == doctor.frozen_rows()
        async with asyncio.timeout(60):
            while containers_of(own_engine):
                await following.driver.reap()
                await asyncio.sleep(0.2)
    finally:
        left.writer.transport.abort()
        await left.writer.wait_closed()
        await driver.close()
        await following.close()


def _is_of(sandbox: frozen.FrozenSandbox, engine: str) -> bool:
    return sandbox.labels.get("pratique.engine") == engine


async def _filled(manager: SandboxManager) -> None:
    async with asyncio.timeout(60):
        while any(one.ready < one.wanted for one in manager.pool_status):
            await asyncio.sleep(0.05)
