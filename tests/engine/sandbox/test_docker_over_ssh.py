"""A Docker that is reached through ssh: here the machine's own, behind an sshd of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.models import KillReason
from engine.sandbox import SandboxUnavailable
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine.sandbox.outside import serving
from tests.engine.sandbox.test_docker_endpoint import context
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

ENGINE = "test-ssh"
ASK = "import urllib.request as u; print(u.urlopen('http://api.example.org:{port}/', timeout=20).read())"
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
NEEDED = {"sshd": SSHD, "ssh": shutil.which("ssh"), "docker": shutil.which("docker")}
MISSING = [name for name, found in NEEDED.items() if not found]
pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(
        bool(MISSING), reason=f"{', '.join(MISSING)} not installed: apt-get install openssh-server"
    ),
    pytest.mark.skipif(os.getuid() != 0, reason="sshd of one's own needs root to let anybody in"),
]


def key(path: Path) -> str:
    """Make a key, and return its public half."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True, timeout=60)
    return path.with_suffix(".pub").read_text()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.asynccontextmanager
async def server(folder: Path, port: int) -> AsyncIterator[int]:
    """Run an sshd that lets one key in, and serves the loopback alone; give its process."""
    assert SSHD is not None
    (folder / "authorized").write_text(key(folder / "mine"))
    Path("/run/sshd").mkdir(exist_ok=True)
    docker = Path(shutil.which("docker") or "").parent
    lines = [f"Port {port}", "ListenAddress 127.0.0.1", f"HostKey {folder}/host", "PidFile none", "UsePAM no",
             f"AuthorizedKeysFile {folder}/authorized", "StrictModes no", "PasswordAuthentication no",
             "PermitRootLogin prohibit-password", f"SetEnv PATH=/usr/bin:/bin:{docker}"]  # fmt: skip
    (folder / "sshd_config").write_text("\n".join(lines))
    process = await asyncio.create_subprocess_exec(
        SSHD, "-D", "-e", "-f", str(folder / "sshd_config"), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        while b"listening" not in (line := await process.stderr.readline()):
            assert line, "sshd does not start"
        reading = asyncio.create_task(process.stderr.read())
        yield process.pid
        process.terminate()
        await reading
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def client(folder: Path, port: int, known: str) -> Path:
    """Make an `ssh` that knows the test's server, and return the folder that it lies in."""
    (folder / "known").write_text(f"[127.0.0.1]:{port} {known}")
    lines = ["Host far.example.org", "HostName 127.0.0.1", f"Port {port}", "User root", "IdentitiesOnly yes",
             f"IdentityFile {folder}/mine", f"UserKnownHostsFile {folder}/known",
             "GlobalKnownHostsFile /dev/null"]  # fmt: skip
    (folder / "ssh_config").write_text("\n".join(lines))
    shim = folder / "bin" / "ssh"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    return shim.parent


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Choose a context that leads to a server of the test's own, on this port."""
    port = free_port()
    known = key(tmp_path / "host")
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", context(tmp_path, "far", "ssh://far.example.org")["DOCKER_CONFIG"])
    monkeypatch.setenv("PATH", f"{client(tmp_path, port, known)}:{os.environ['PATH']}")
    return port


def manager() -> SandboxManager:
    """Return a manager without a pool."""
    return sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)


async def test_runs_go_through_ssh(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, files, a megabyte of output and a granted network go through, and nothing is left."""
    async with asyncio.timeout(240), server(tmp_path, port):
        house, watcher, outside = manager(), Recorder(), Recorder()
        await house.start()
        code = "print(open('a').read() + 'x' * 999_999)"
        result = await house.run(job(code, files={"a": b"from a file"}), watcher)
        async with serving(answer=b"from outside") as far:
            granted = replace(job(ASK.format(port=far.port)), network=NetworkSpec(far.terms()))
            await house.run(granted, outside)
        await house.close()
    assert (KillReason.NONE, b"from a file" + b"x" * 999_999 + b"\n") == (result.kill_reason, watcher.stdout)
    assert b"from outside" in outside.stdout, outside.stderr
    monkeypatch.setenv("DOCKER_CONTEXT", "default")
    assert [] == containers_of(ENGINE)


async def test_another_host_key_than_the_known_one_is_refused(port: int, tmp_path: Path) -> None:
    """Nothing runs, and ssh's own words say why."""
    (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {key(tmp_path / 'another')}")
    async with asyncio.timeout(120), server(tmp_path, port):
        house = manager()
        try:
            with pytest.raises(SandboxUnavailable, match="Host key verification failed"):
                await house.prove()
        finally:
            await house.close()


async def test_connections_that_break_end_runs_and_nothing_else(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said until then is kept, the sandbox is removed through new connections, the next run goes."""
    lost, after = Recorder(), Recorder()
    async with asyncio.timeout(240), server(tmp_path, port) as sshd:
        house = manager()
        await house.start()
        code = "import time; print('here', flush=True); time.sleep(120)"
        running = asyncio.create_task(house.run(job(code, seconds=200), lost))
        await lost.until_said(b"here")
        _cut(sshd)
        result = await running
        await house.run(job("print('there')"), after)
        await house.close()
    assert KillReason.ENGINE_LOST == result.kill_reason
    assert (b"here\n", b"there\n") == (lost.stdout, after.stdout)
    monkeypatch.setenv("DOCKER_CONTEXT", "default")
    assert [] == containers_of(ENGINE)


def _cut(sshd: int) -> None:
    """End the connections that a server has: its own children."""
    for child in Path(f"/proc/{sshd}/task/{sshd}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
