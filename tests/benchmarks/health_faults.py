"""Faults of an engine and of what it stands on, each with the rows of Health that have to turn red."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from tests.docker_proxy import DockerProxy
from tests.engine_process import POOL, EngineProcess
from tests.tls import free_port, self_signed

MEGABYTES = 24


@dataclass
class Ground:
    """An engine that is not started yet, and what belongs to it."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    command: list[str] = field(default_factory=list)
    docker: DockerProxy | None = None

    @property
    def home(self) -> Path:
        """Its state folder."""
        return self.folder / "home"

    def engine(self) -> EngineProcess:
        """Return the engine, which the caller starts and ends."""
        socket = self.docker.path if self.docker else self.folder / "none"
        process = EngineProcess(self.home, **{POOL: "1", "DOCKER_HOST": f"unix://{socket}", **self.settings})
        process.command = self.command or process.command
        return process


Prepare = Callable[[Ground], contextlib.AbstractAsyncContextManager[None]]


class Fault(NamedTuple):
    """What goes wrong, and which rows of Health tell it; without any, the engine cannot say a thing."""

    words: str
    prepare: Prepare
    strike: Callable[[Ground, EngineProcess], object]
    rows: frozenset[str] = frozenset()


@contextlib.asynccontextmanager
async def _plain(ground: Ground) -> AsyncIterator[None]:
    yield


@contextlib.asynccontextmanager
async def _docker(ground: Ground) -> AsyncIterator[None]:
    ground.docker = DockerProxy(ground.folder / "docker.sock")
    async with ground.docker.serving():
        yield


@contextlib.asynccontextmanager
async def _disk(ground: Ground) -> AsyncIterator[None]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=0700", "pratique-bench"]
    await asyncio.to_thread(subprocess.run, [*mount, str(ground.home)], check=True, capture_output=True)
    try:
        yield
    finally:
        await asyncio.to_thread(subprocess.run, ["umount", "--lazy", str(ground.home)], check=True)


@contextlib.asynccontextmanager
async def _witness(ground: Ground) -> AsyncIterator[None]:
    kept = ground.folder / "kept"
    init = ["git", "init", "--quiet", str(kept)]
    await asyncio.to_thread(subprocess.run, init, check=True, timeout=60)
    ground.settings["PRATIQUE_HISTORY__WITNESS_GIT"] = str(kept)
    yield


@contextlib.asynccontextmanager
async def _certificate(ground: Ground) -> AsyncIterator[None]:
    certificate, key = self_signed(ground.folder, timedelta(days=90))
    ground.settings |= {
        "PRATIQUE_SERVER__LISTEN": f"127.0.0.1:{free_port()}",
        "PRATIQUE_SERVER__TLS_CERTIFICATE": str(certificate),
        "PRATIQUE_SERVER__TLS_KEY": str(key),
    }
    yield


@contextlib.asynccontextmanager
async def _clock(ground: Ground) -> AsyncIterator[None]:
    ground.command = [sys.executable, "-m", "tests.set_clock", str(ground.folder / "ahead")]
    yield


def _fill(ground: Ground) -> None:
    with (ground.home / "filler").open("ab") as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
            file.flush()


def _replace(ground: Ground) -> None:
    ground.home.rename(ground.folder / "away")
    ground.home.mkdir()


def _proxy(ground: Ground) -> DockerProxy:
    assert ground.docker is not None
    return ground.docker


RECORDING = frozenset({"recording", "disk reserve", "unsaved records", "state folder"})
DOCKER = frozenset({"docker", "sandboxes"})
FAULTS = (
    Fault("engine killed", _plain, lambda _, process: process.end(signal.SIGKILL)),
    Fault("engine stopped", _plain, lambda _, process: os.kill(process.pid, signal.SIGSTOP)),
    Fault("Docker gone", _docker, lambda ground, _: _proxy(ground).break_off(), DOCKER),
    Fault("Docker hangs", _docker, lambda ground, _: _proxy(ground).hang(), DOCKER),
    Fault("disk full", _disk, lambda ground, _: _fill(ground), RECORDING),
    Fault("witness gone", _witness, lambda ground, _: shutil.rmtree(ground.folder / "kept"),
          frozenset({"witness: {folder}/kept"})),
    Fault("certificate ended", _certificate,
          lambda ground, _: self_signed(ground.folder, timedelta(seconds=-1)), frozenset({"certificate"})),
    Fault("clock set", _clock, lambda ground, _: (ground.folder / "ahead").write_text("3600"),
          frozenset({"clock"})),
    Fault("state folder replaced", _plain, lambda ground, _: _replace(ground), frozenset({"state folder"})),
    Fault("policy unusable", _plain, lambda ground, _: (ground.home / "policy.yaml").write_text("rules: ["),
          frozenset({"policy"})),
    Fault("inbox gone", _plain, lambda ground, _: shutil.rmtree(ground.home / "inbox"),
          frozenset({"endpoint: inbox"})),
)  # fmt: skip
"""Ten and one more. A listener that drops events has tests of its own."""


async def end(process: EngineProcess) -> None:
    """End an engine, also one that is stopped or gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGCONT)
    await asyncio.to_thread(process.end, signal.SIGKILL)
