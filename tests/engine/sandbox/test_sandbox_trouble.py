"""Docker hangs, breaks, or was never there; the engine dies: runs end honestly, and nothing is left."""

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
    """Let what failed connections left go within the test that made them."""
    yield
    gc.collect()


# --- no Docker, no runsc: nothing runs


async def test_without_docker_nothing_runs_and_it_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A missing Docker is no crash: it is a red row with a command, and a refusal."""
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
    """A runtime that is missing, or that is not gVisor, fails the proof: no silent fallback."""
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
async def test_a_missing_image_says_what_to_type() -> None:
    """The refusal names the image and the command that builds it."""
    alone = sandbox_manager(SandboxSettings(pool=0), "test-no-image")
    try:
        with pytest.raises(SandboxUnavailable, match="pratique/none") as refused:
            await alone.image_digest("pratique/none")
        assert "pratique image build" == refused.value.hint
    finally:
        await alone.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_of_an_older_image_is_not_used() -> None:
    """When a name comes to stand for another image, the ready sandbox of the old one is thrown away."""
    client = docker.APIClient(version="auto")
    house, watcher = sandbox_manager(SandboxSettings(pool=1), "test-new-image"), Recorder()
    client.tag(IMAGES[Language.PYTHON], "pratique-test/moving", "latest", force=True)
    try:
        await house.start()
        await house.warm([(Language.PYTHON, "pratique-test/moving")])
        await _filled(house)
        client.tag(IMAGES[Language.SHELL], "pratique-test/moving", "latest", force=True)
        await _until(lambda: not _ready(house)[0].unchanged)
        asked = replace(job("echo 1", Language.SHELL), language=Language.PYTHON)
        await house.run(asked, watcher)
        assert ("sandbox.created", b"1\n") == (watcher.types[0], watcher.stdout)
    finally:
        await house.close()
        client.remove_image("pratique-test/moving", noprune=True)
        client.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_of_another_image_than_the_approved_is_not_used() -> None:
    """What runs has the digest that was approved, whatever its name stands for by then."""
    house, watcher = sandbox_manager(SandboxSettings(pool=1), "test-other-image"), Recorder()
    await house.start()
    try:
        await house.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(house)
        approved = await house.image_digest(IMAGES[Language.SHELL])
        for _ in range(2):
            result = await house.run(replace(job("echo 1"), image_digest=approved), watcher)
            assert ("sandbox.created", approved) == (watcher.types[0], result.image_digest)
        assert b"1\n1\n" == watcher.stdout
        with pytest.raises(SandboxUnavailable, match="sha256:0000"):
            await house.run(replace(job("print(1)"), image_digest=f"sha256:{'0' * 64}"), watcher)
    finally:
        await house.close()


@pytest.mark.sandbox
async def test_a_ready_sandbox_that_somebody_touched_is_not_used() -> None:
    """A command that somebody prepared in it through Docker is heard of, and it is thrown away."""
    client = docker.APIClient(version="auto")
    house, watcher = sandbox_manager(SandboxSettings(pool=1), "test-touched"), Recorder()
    await house.start()
    try:
        await house.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(house)
        await _until(lambda: _ready(house)[0].unchanged)
        container = _ready(house)[0]
        client.exec_create(container.id, ["true"])
        await _until(lambda: container.changed)
        result = await house.run(job("print(1)"), watcher)
        assert (KillReason.NONE, "sandbox.created") == (result.kill_reason, watcher.types[0])
    finally:
        await house.close()
        client.close()


def _ready(house: SandboxManager) -> list[Container]:
    return [
        cast("Container", container)
        for image_pool in house.pool.image_pools
        for container in image_pool.sandboxes
    ]


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def _filled(house: SandboxManager) -> None:
    async with asyncio.timeout(30):
        while not any(_stocked(check) for check in await house.checks()):
            await asyncio.sleep(0.1)


# --- Docker hangs or breaks while something runs


@pytest.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[DockerProxy]:
    """Put a breakable door before Docker, and let the engine listen to it four times a second."""
    door = DockerProxy(tmp_path / "docker.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{door.path}")
    monkeypatch.setattr(heartbeat, "_SECONDS", 0.25)
    monkeypatch.setattr(driver, "_PING_SECONDS", 1.0)
    async with door.serving():
        yield door


@pytest.mark.sandbox
@pytest.mark.parametrize("trouble", ["hang", "break_off"])
async def test_a_lost_docker_ends_runs_as_engine_lost(proxy: DockerProxy, trouble: str) -> None:
    """What was captured is kept, the guest's processes are gone, and runs go on when Docker is back."""
    engine = f"test-lost-{trouble}"
    house = sandbox_manager(SandboxSettings(pool=0), engine)
    await house.start()
    try:
        watcher = Recorder()
        running = asyncio.create_task(house.run(job(LOOP), watcher))
        await watcher.until_said(b"up")
        getattr(proxy, trouble)()
        async with asyncio.timeout(40):
            result = await running
        assert (KillReason.ENGINE_LOST, b"up\n") == (result.kill_reason, watcher.stdout)
        proxy.go_on()
        async with asyncio.timeout(60):
            while house.proof is None:
                await asyncio.sleep(0.05)
        again = await house.run(job("print(2)"), watcher)
        assert KillReason.NONE == again.kill_reason
    finally:
        proxy.go_on()
        await house.close()
    assert [] == containers_of(engine)


@pytest.mark.sandbox
async def test_a_lost_docker_takes_sandboxes_that_stay_along(proxy: DockerProxy) -> None:
    """One that runs ends as engine-lost, one that rests says so when it is next used; both begin anew."""
    engine = "test-lost-sessions"

    def order(code: str) -> Job:
        return replace(job(code, Language.SHELL), session="b-1", principal="ada")

    house = sandbox_manager(SandboxSettings(pool=0), engine)
    await house.start()
    try:
        watcher = Recorder()
        running = asyncio.create_task(house.run(order("x=1; echo up; while :; do :; done"), watcher))
        await watcher.until_said(b"up")
        proxy.break_off()
        async with asyncio.timeout(40):
            assert KillReason.ENGINE_LOST == (await running).kill_reason
        proxy.go_on()
        await _proved(house)
        assert KillReason.NONE == (await house.run(order("x=2"), Recorder())).kill_reason
        container = cast("Container", house.sessions._by_id["b-1"].sandbox)
        assert container is not None
        proxy.break_off()
        await _until(lambda: container.disconnected)
        proxy.go_on()
        await _proved(house)
        with pytest.raises(SandboxUnavailable, match="state is lost"):
            await house.run(order("echo $x"), Recorder())
        fresh = Recorder()
        await house.run(order("echo [$x]"), fresh)
        assert b"[]\n" == fresh.stdout
    finally:
        proxy.go_on()
        await house.close()
    assert [] == containers_of(engine)


async def _proved(house: SandboxManager) -> None:
    async with asyncio.timeout(60):
        while house.proof is None:
            await asyncio.sleep(0.05)


@pytest.mark.sandbox
async def test_a_ready_sandbox_whose_stream_broke_is_not_used(proxy: DockerProxy) -> None:
    """The pool throws it away and the run starts cold."""
    engine, watcher = "test-broken-pool", Recorder()
    house = sandbox_manager(SandboxSettings(pool=1), engine)
    await house.start()
    try:
        await house.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        await _filled(house)
        container = _ready(house)[0]
        proxy.break_off()
        await _until(lambda: container.disconnected)
        proxy.go_on()
        result = await house.run(job("print(1)"), watcher)
        assert (KillReason.NONE, "sandbox.created") == (result.kill_reason, watcher.types[0])
    finally:
        await house.close()
    assert [] == containers_of(engine)


@pytest.mark.sandbox
async def test_a_sandbox_process_that_is_killed_is_no_fault_of_the_program() -> None:
    """The death of the sandbox itself is called that, at once."""
    watcher, asked = Recorder(), job(LOOP)
    house = sandbox_manager(SandboxSettings(pool=0), "test-sentry")
    running = asyncio.create_task(house.run(asked, watcher))
    try:
        await watcher.until_said(b"up")
        execution: Execution = house.control.executions[asked.run]
        execution.sandbox.kill_processes()
        async with asyncio.timeout(10):
            assert KillReason.SANDBOX_FAILED == (await running).kill_reason
    finally:
        await house.close()


@pytest.mark.sandbox
async def test_meters_come_from_docker_where_the_host_shows_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a remote engine there are fewer samples, and the limits hold all the same."""
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
    """No call to Docker outlives its deadline, whatever Docker does."""
    silent = DockerProxy(tmp_path / "silent.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{silent.path}")
    async with silent.serving(), asyncio.timeout(10):
        silent.hang()
        with pytest.raises(DockerUnreachable, match="Docker did not answer"):
            await DockerClient(1.0).call("ping")


@pytest.mark.sandbox
async def test_a_container_that_its_engine_forgot_is_reaped() -> None:
    """What Docker made after the engine had stopped waiting for it goes; what is in use stays."""
    client = docker.APIClient(version="auto")
    house, watcher, asked = sandbox_manager(SandboxSettings(pool=0), "test-forgotten"), Recorder(), job(LOOP)
    labels = ownership.current("test-forgotten").labels("image") | {"pratique.created": "1"}
    made = client.create_container(IMAGES[Language.SHELL], labels=labels)["Id"]
    running = asyncio.create_task(house.run(asked, watcher))
    try:
        await watcher.until_said(b"up")
        docker_driver = cast("DockerDriver", house.driver)
        assert (made,) == await reaper.reap(
            docker_driver.client, docker_driver.factory.owner, docker_driver.factory.active
        )
        assert 1 == len(containers_of("test-forgotten"))
    finally:
        await house.close()
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
    house = sandbox_manager(SandboxSettings(pool=1), "test-victim")
    await house.start()
    await house.warm([(Language.SHELL, IMAGES[Language.SHELL])])
    watcher = Recorder()
    running = asyncio.create_task(house.run(job({code!r}), watcher))
    await watcher.until_said(b"up")
    while "1 of" not in " ".join(check.detail.text for check in await house.checks()):
        await asyncio.sleep(0.1)
    print("up", flush=True)
    await running
asyncio.run(main())
"""


@pytest.mark.sandbox
async def test_kill_9_of_the_engine_leaves_nothing_after_the_next_start() -> None:
    """The running sandbox and the frozen ready one are both gone; those of a living engine stay."""
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
    heir = sandbox_manager(SandboxSettings(pool=0), "test-heir")
    try:
        await heir.start()
        assert [] == containers_of("test-victim")
        assert 1 == len(containers_of("test-living"))
    finally:
        await heir.close()
        await active.close()
    assert KillReason.INTERRUPTED == (await running).kill_reason


def _stocked(check: Check) -> bool:
    """Whether a row of Health says that sandboxes wait."""
    return check.name.startswith("pool") and not check.detail.text.startswith("0 of")
