"""A granted network in real gVisor: what programs reach over it, and that nothing else is there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from engine.models import KillReason, Language
from engine.sandbox import Job
from engine.sandbox.api.network_spec import NetworkSpec, Secret
from engine.sandbox.network.ephemeral_ca import EphemeralCA
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine.sandbox.outside import HOST, Server, serving
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-network"
ASK = """
import urllib.request, urllib.error
def ask(url, data=None):
    try: return urllib.request.urlopen(url, data, timeout=20).read()
    except OSError as error: return (getattr(error, 'fp', None) and error.fp.read()) or str(error)
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes: a network takes one of its own."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


def networked(given: Job, server: Server) -> Job:
    """Return a job that was granted the name that leads to a server."""
    return replace(given, network=NetworkSpec(server.terms()))


async def test_programs_reach_what_was_granted_and_nothing_else(manager: SandboxManager) -> None:
    """Standard libraries find the proxy by themselves; the refused are told why; all is recorded."""
    async with serving() as server:
        code = f"""{ASK}
print(b'x' * 99 in ask('http://{HOST}:{server.port}/', b'x' * 500_000))
print(ask('http://other.example.org/'))
print(ask('https://169.254.169.254/'))
"""
        watcher = Recorder()
        result = await manager.run(networked(job(code), server), watcher)
    said = watcher.stdout.decode().splitlines()
    assert (KillReason.NONE, "True", 3) == (result.kill_reason, said[0], len(said)), watcher.stderr
    assert (True, True) == ("not granted" in said[1], "403" in said[2])
    attempts = [data for type_, data in watcher.events if type_ == "network.attempt"]
    expected = [(HOST, True), ("other.example.org", False), ("169.254.169.254", False)]
    assert expected == [(each["host"], each["allowed"]) for each in attempts]
    assert watcher.types.index("run.started") < watcher.types.index("network.attempt")


async def test_tls_goes_through_unopened(manager: SandboxManager) -> None:
    """Without a secret the guest speaks TLS with the host itself, end to end; the meter counts its bytes."""
    theirs = EphemeralCA()
    async with serving(theirs.context(HOST), b"z" * 1_000_000) as server:
        code = f"""{ASK}
import ssl, time
context = ssl.create_default_context(cadata={theirs.pem!r})
answer = urllib.request.urlopen('https://{HOST}:{server.port}/', timeout=20, context=context)
print(len(answer.read()), flush=True)
time.sleep(0.5)
print('CERTIFICATE_VERIFY_FAILED' in ask('https://{HOST}:{server.port}/'))
"""
        watcher = Recorder()
        await manager.run(networked(job(code), server), watcher)
    assert b"1000000\nTrue\n" == watcher.stdout, watcher.stderr
    assert any((sample.network or 0) > 1_000_000 for sample in watcher.samples)


async def test_node_reaches_it_by_the_proxy(manager: SandboxManager) -> None:
    """JavaScript names the proxy itself, as its releases before 24 must."""
    async with serving(answer=b"well") as server:
        url = f"http://{HOST}:{server.port}/"
        code = f"""
const proxy = new URL(process.env.HTTP_PROXY)
const headers = {{host: '{HOST}:{server.port}'}}
const where = {{host: proxy.hostname, port: proxy.port, path: '{url}', headers}}
require('http').get(where, answer => answer.on('data', data => console.log(String(data))))
"""
        watcher = Recorder()
        await manager.run(networked(job(code, Language.JAVASCRIPT), server), watcher)
    assert b"well\n" == watcher.stdout, watcher.stderr


async def test_who_ends_the_bridge_ends_the_network_alone(manager: SandboxManager) -> None:
    """A guest that kills or floods its bridge has no network any more, and the run goes on."""
    async with serving() as server:
        code = f"""{ASK}
import os, signal
for pid in filter(str.isdigit, os.listdir('/proc')):
    if b'bridge' in open(f'/proc/{{pid}}/cmdline', 'rb').read() and int(pid) not in (1, os.getpid()):
        try: open(f'/proc/{{pid}}/fd/1', 'wb').write(b'D\\xff\\xff\\xff\\xff' * 9999)
        except OSError: pass
        os.kill(int(pid), signal.SIGKILL)
print(ask('http://{HOST}:{server.port}/'))
"""
        watcher = Recorder()
        result = await manager.run(networked(job(code), server), watcher)
    assert (KillReason.NONE, 0) == (result.kill_reason, result.exit_code), watcher.stderr
    assert b"refused" in watcher.stdout
    assert [] == server.heard


async def test_a_secret_is_used_and_never_seen(
    manager: SandboxManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guest holds a placeholder, trusts the run's own authority, and the host hears the secret."""
    theirs = EphemeralCA()
    (tmp_path / "ca.pem").write_text(theirs.pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    async with serving(theirs.context(HOST)) as server:
        code = f"""{ASK}
import os
url = 'https://{HOST}:{server.port}/'
print(ask(urllib.request.Request(url, headers={{'Authorization': 'Bearer ' + os.environ['API_TOKEN']}})))
print(os.environ)
"""
        wanted = NetworkSpec(server.terms(), (Secret("API_TOKEN", HOST, "value-of-the-secret"),))
        watcher = Recorder()
        await manager.run(replace(job(code), network=wanted), watcher)
    assert b"Bearer value-of-the-secret" in server.heard[0], watcher.stdout + watcher.stderr
    assert (True, False) == (b"***" in watcher.stdout, b"value-of" in watcher.stdout)
