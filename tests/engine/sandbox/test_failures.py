"""Docker is missing, hangs or breaks, or the engine dies: runs end with the true reason."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import docker
import pytest

from engine.models import Check, KillReason, Language
from engine.sandbox import Job, SandboxUnavailable
from engine.sandbox.drivers.docker import driver, ownership, reaper
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.drivers.linux.cgroup import Cgroup
from engine.sandbox.run import heartbeat
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.docker_proxy import DockerProxy
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

# Docker's client lets sockets of failed connections go unclosed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
LOOP = "print('up')\nwhile True: pass"


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Collect the sockets of failed connections within the test that made them."""
    yield
    gc.collect()


# --- no Docker, no runsc: nothing runs


async def test_without_docker_nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Docker, Health has a failing row with a command, and runs are refused."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    alone = sandbox_manager(SandboxSettings(pool=1), "test-no-docker")
    await alone.start()
    try:
        assert alone.proof is None
        red = [check for check in await alone.checks() if not check.ok]
        assert ["docker", "isolation"] == [check.name for check in red]
        assert all("docker" in check.hint for check in red)
        with pytest.raises(SandboxUnavailable, match="Docker did not answer"):
            await alone.run(job("print(1)"), Recorder())
    finally:
        await alone.close()


@pytest.mark.sandbox
@pytest.mark.parametrize("runtime", ["no-such-runtime", "runc"])
async def test_without_gvisor_nothing_runs(runtime: str) -> None:
    """A runtime that is missing or is not gVisor fails the proof; there is no fallback."""
    watcher = Recorder()
    weak = sandbox_manager(SandboxSettings(runtime=runtime, pool=1), "test-no-gvisor")
    await weak.start()
    try:
        await weak.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        assert weak.proof is None or not weak.proof.isolated
        assert any(check.detail.text.startswith("0 of") for check in await weak.checks())
        with pytest.raises(SandboxUnavailable) as refused:
            await weak.run(job("print(1)"), watcher)
        assert refused.value.hint
        assert ([], []) == (watcher.chunks, watcher.events)
    finally:
        await weak.close()
    assert [] == containers_of("test-no-gvisor")


@pytest.mark.sandbox
async def test_a_missing_image_has_a_hint() -> None:
    """The error names the image and the command that builds it."""
    alone = sandbox_manager(SandboxSettings(pool=0), "test-no-image")
    try:
        with pytest.raises(SandboxUnavailable, match="pratique/none") as refused:
            await alone.image_digest("pratique/none")
        assert "pratique image build" == refused.value.hint
    finally:
        await alone.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_of_an_older_image_is_not_used() -> None:
    """When a tag moves to another image, the ready sandbox of the old image is discarded."""
    client = docker.APIClient(version="auto")
    manager, watcher = sandbox_manager(SandboxSettings(pool=1), "test-new-image"), Recorder()
    client.tag(IMAGES[Language.PYTHON], "pratique-test/moving", "latest", force=True)
    try:
        await manager.start()
        await manager.warm([(Language.PYTHON, "pratique-test/moving")])
        await _filled(manager)
        client.tag(IMAGES[Language.SHELL], "pratique-test/moving", "latest", force=True)
        await _until(lambda: not _ready(manager)[0].unchanged)
        request = replace(job("echo 1", Language.SHELL), language=Language.PYTHON)
        await manager.run(request, watcher)
        assert ("sandbox.created", b"1\n") == (watcher.types[0], watcher.stdout)
    finally:
        await manager.close()
        client.remove_image("pratique-test/moving", noprune=True)
        client.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_of_another_image_than_the_approved_is_not_used() -> None:
    """The run uses the approved digest, whatever image its tag names now."""
    manager, watcher = sandbox_manager(SandboxSettings(pool=1), "test-other-image"), Recorder()
    await manager.start()
    try:
        await manager.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(manager)
        approved = await manager.image_digest(IMAGES[Language.SHELL])
        for _ in range(2):
            result = await manager.run(replace(job("echo 1"), image_digest=approved), watcher)
            assert ("sandbox.created", approved) == (watcher.types[0], result.image_digest)
        assert b"1\n1\n" == watcher.stdout
        with pytest.raises(SandboxUnavailable, match="sha256:0000"):
            await manager.run(replace(job("print(1)"), image_digest=f"sha256:{'0' * 64}"), watcher)
    finally:
        await manager.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_that_was_changed_is_not_used() -> None:
    """Docker reports a command created in it, and the sandbox is discarded."""
    client = docker.APIClient(version="auto")
    manager, watcher = sandbox_manager(SandboxSettings(pool=1), "test-touched"), Recorder()
    await manager.start()
    try:
        await manager.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(manager)
        await _until(lambda: _ready(manager)[0].unchanged)
        container = _ready(manager)[0]
        client.exec_create(container.id, ["true"])
        await _until(lambda: container.changed)
        result = await manager.run(job("print(1)"), watcher)
        assert (KillReason.NONE, "sandbox.created") == (result.kill_reason, watcher.types[0])
    finally:
        await manager.close()
        client.close()


def _ready(manager: SandboxManager) -> list[Container]:
    return [
        cast("Container", container)
        for image_pool in manager.pool.image_pools
        for container in image_pool.sandboxes
    ]


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def _filled(manager: SandboxManager) -> None:
    async with asyncio.timeout(30):
        while not any(_has_ready(check) for check in await manager.checks()):
            await asyncio.sleep(0.1)


# --- Docker hangs or breaks while something runs


@pytest.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[DockerProxy]:
    """Put a proxy that can fail before Docker, and check Docker four times a second."""
    proxy = DockerProxy(tmp_path / "docker.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{proxy.path}")
    monkeypatch.setattr(heartbeat, "_SECONDS", 0.25)
    monkeypatch.setattr(driver, "_PING_SECONDS", 1.0)
    async with proxy.serving():
        yield proxy


@pytest.mark.sandbox
@pytest.mark.parametrize("failure", ["hang", "break_off"])
async def test_a_lost_docker_ends_runs_as_engine_lost(proxy: DockerProxy, failure: str) -> None:
    """Captured output is kept, the guest's processes are killed, and runs work again when Docker is back."""
    engine = f"test-lost-{failure}"
    manager = sandbox_manager(SandboxSettings(pool=0), engine)
    await manager.start()
    try:
        watcher = Recorder()
        running = asyncio.create_task(manager.run(job(LOOP), watcher))
        await watcher.until_said(b"up")
        getattr(proxy, failure)()
        async with asyncio.timeout(40):
            result = await running
        assert (KillReason.ENGINE_LOST, b"up\n") == (result.kill_reason, watcher.stdout)
        proxy.go_on()
        async with asyncio.timeout(60):
            while manager.proof is None:
                await asyncio.sleep(0.05)
        again = await manager.run(job("print(2)"), watcher)
        assert KillReason.NONE == again.kill_reason
    finally:
        proxy.go_on()
        await manager.close()
    assert [] == containers_of(engine)


@pytest.mark.sandbox
async def test_a_lost_docker_ends_sessions(proxy: DockerProxy) -> None:
    """A running execution ends as engine-lost, an idle session reports its lost state; both start afresh."""
    engine = "test-lost-sessions"

    def execution(code: str) -> Job:
        return replace(job(code, Language.SHELL), session="b-1", principal="ada")

    manager = sandbox_manager(SandboxSettings(pool=0), engine)
    await manager.start()
    try:
        watcher = Recorder()
        running = asyncio.create_task(manager.run(execution("x=1; echo up; while :; do :; done"), watcher))
        await watcher.until_said(b"up")
        proxy.break_off()
        async with asyncio.timeout(40):
            assert KillReason.ENGINE_LOST == (await running).kill_reason
        proxy.go_on()
        await _proved(manager)
        assert KillReason.NONE == (await manager.run(execution("x=2"), Recorder())).kill_reason
        container = cast("Container", manager.sessions._by_id["b-1"].sandbox)
        assert container is not None
        proxy.break_off()
        await _until(lambda: container.disconnected)
        proxy.go_on()
        await _proved(manager)
        with pytest.raises(SandboxUnavailable, match="state is lost"):
            await manager.run(execution("echo $x"), Recorder())
        fresh = Recorder()
        await manager.run(execution("echo [$x]"), fresh)
        assert b"[]\n" == fresh.stdout
    finally:
        proxy.go_on()
        await manager.close()
    assert [] == containers_of(engine)


async def _proved(manager: SandboxManager) -> None:
    async with asyncio.timeout(60):
        while manager.proof is None:
            await asyncio.sleep(0.05)


@pytest.mark.sandbox
async def test_a_ready_sandbox_whose_stream_broke_is_not_used(proxy: DockerProxy) -> None:
    """The pool discards it, and the run starts cold."""
    engine, watcher = "test-broken-pool", Recorder()
    manager = sandbox_manager(SandboxSettings(pool=1), engine)
    await manager.start()
    try:
        await manager.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(manager)
        container = _ready(manager)[0]
        proxy.break_off()
        await _until(lambda: container.disconnected)
        proxy.go_on()
        result = await manager.run(job("print(1)"), watcher)
        assert (KillReason.NONE, "sandbox.created") == (result.kill_reason, watcher.types[0])
    finally:
        await manager.close()
    assert [] == containers_of(engine)


@pytest.mark.sandbox
async def test_a_killed_sandbox_process_is_sandbox_failed() -> None:
    """A sandbox that dies ends its run as sandbox-failed, at once."""
    watcher, request = Recorder(), job(LOOP)
    manager = sandbox_manager(SandboxSettings(pool=0), "test-sentry")
    running = asyncio.create_task(manager.run(request, watcher))
    try:
        await watcher.until_said(b"up")
        execution: Execution = manager.control.executions[request.run]
        execution.sandbox.kill_processes()
        async with asyncio.timeout(10):
            assert KillReason.SANDBOX_FAILED == (await running).kill_reason
    finally:
        await manager.close()


@pytest.fixture
async def watched() -> AsyncIterator[SandboxManager]:
    """A manager that reads Docker's events."""
    manager = sandbox_manager(SandboxSettings(pool=0), "test-watched")
    await manager.start()
    async with asyncio.timeout(10):
        while not cast("DockerDriver", manager.driver).factory.events.period:
            await asyncio.sleep(0.05)
    yield manager
    await manager.close()


@pytest.mark.sandbox
@pytest.mark.parametrize("ending", ["", "signal.signal(15, lambda *_: time.sleep(0.5) or sys.exit(0))"])
async def test_a_sandbox_that_others_stop_is_sandbox_failed(watched: SandboxManager, ending: str) -> None:
    """What another client of Docker ends is not taken for the program's own end, however that reacts."""
    code = f"import signal, sys, time\n{ending}\nprint('up', flush=True)\ntime.sleep(60)"
    watcher, request = Recorder(), job(code)
    running = asyncio.create_task(watched.run(request, watcher))
    await watcher.until_said(b"up")
    stop = ("docker", "stop", watched.control.executions[request.run].sandbox.id)
    stopping = await asyncio.create_subprocess_exec(*stop, stdout=asyncio.subprocess.DEVNULL)
    async with asyncio.timeout(20):
        result = await running
        await stopping.wait()
    assert KillReason.SANDBOX_FAILED == result.kill_reason
    assert "Docker sent the sandbox a signal, which the engine had not asked for" in result.evidence


@pytest.mark.sandbox
async def test_a_program_that_ends_itself_by_a_signal_is_no_failed_sandbox(watched: SandboxManager) -> None:
    """Nobody else ended it."""
    code = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"
    result = await watched.run(job(code), Recorder())
    assert (KillReason.NONE, 143) == (result.kill_reason, result.exit_code)


@pytest.mark.sandbox
async def test_meters_come_from_docker_without_control_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a remote Docker there are fewer samples, and the limits still hold."""
    monkeypatch.setattr(Cgroup, "of", lambda *_: None)
    watcher, alone = Recorder(), sandbox_manager(SandboxSettings(pool=0), "test-remote")
    try:
        code = "x = bytearray(50_000_000)\nimport time\ntime.sleep(5)"
        result = await alone.run(job(code), watcher)
        assert (KillReason.NONE, True) == (result.kill_reason, len(watcher.samples) >= 1)
        assert 50_000_000 < result.memory_peak
        bomb = job("x = []\nwhile True: x.append(b'x' * 10**7)", memory_mb=128)
        assert KillReason.MEMORY == (await alone.run(bomb, watcher)).kill_reason
    finally:
        await alone.close()


async def test_a_call_that_hangs_ends_at_its_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that Docker does not answer ends at its deadline."""
    silent = DockerProxy(tmp_path / "silent.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{silent.path}")
    async with silent.serving(), asyncio.timeout(10):
        silent.hang()
        with pytest.raises(DockerUnreachable, match="Docker did not answer"):
            await DockerClient(1.0).call("ping")


@pytest.mark.sandbox
async def test_a_leaked_container_is_reaped() -> None:
    """A container created after the engine stopped waiting for it is removed; one in use stays."""
    client = docker.APIClient(version="auto")
    manager, watcher, request = sandbox_manager(SandboxSettings(pool=0), "test-leaked"), Recorder(), job(LOOP)
    labels = ownership.current("test-leaked").labels("image") | {"pratique.created": "1"}
    made = client.create_container(IMAGES[Language.SHELL], labels=labels)["Id"]
    running = asyncio.create_task(manager.run(request, watcher))
    try:
        await watcher.until_said(b"up")
        docker_driver = cast("DockerDriver", manager.driver)
        assert (made,) == await reaper.reap(
            docker_driver.client, docker_driver.factory.owner, docker_driver.factory.active
        )
        assert 1 == len(containers_of("test-leaked"))
    finally:
        await manager.close()
        await running
        client.close()


# --- the engine dies

_VICTIM = """
import asyncio, sys
sys.path.insert(0, {root!r})
from engine.models import Language
from engine.sandbox.run import heartbeat
from engine.settings import SandboxSettings
from tests.sandboxes import IMAGES, Recorder, job, sandbox_manager
async def main():
    manager = sandbox_manager(SandboxSettings(pool=1), "test-victim")
    await manager.start()
    await manager.warm([(Language.SHELL, IMAGES[Language.SHELL])])
    watcher = Recorder()
    running = asyncio.create_task(manager.run(job({code!r}), watcher))
    await watcher.until_said(b"up")
    while "1 of" not in " ".join(check.detail.text for check in await manager.checks()):
        await asyncio.sleep(0.1)
    print("up", flush=True)
    await running
asyncio.run(main())
"""


@pytest.mark.sandbox
async def test_kill_9_of_the_engine_leaves_nothing_after_the_next_start() -> None:
    """The running and the paused ready sandbox are removed; those of a running engine stay."""
    active, watcher = sandbox_manager(SandboxSettings(pool=0), "test-living"), Recorder()
    running = asyncio.create_task(active.run(job(LOOP, seconds=60), watcher))
    await watcher.until_said(b"up")
    root = str(Path(__file__).parents[3])
    program = _VICTIM.format(root=root, code=LOOP)
    victim = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert victim.stdout is not None
    async with asyncio.timeout(60):
        assert b"up\n" == await victim.stdout.readline()
    assert 2 <= len(containers_of("test-victim"))
    victim.send_signal(signal.SIGKILL)
    await victim.wait()
    successor = sandbox_manager(SandboxSettings(pool=0), "test-successor")
    try:
        await successor.start()
        assert [] == containers_of("test-victim")
        assert 1 == len(containers_of("test-living"))
    finally:
        await successor.close()
        await active.close()
    assert KillReason.INTERRUPTED == (await running).kill_reason


def _has_ready(check: Check) -> bool:
    """Return whether a row of Health reports ready sandboxes."""
    return check.name.startswith("pool") and not check.detail.text.startswith("0 of")
