"""The files of a run while it goes on: a process beside the program's lists them, or reads one.

Whatever it says is the guest's word, as all that comes out of a sandbox is.
"""

from __future__ import annotations

import asyncio
import contextlib

from docker.errors import APIError

from engine.common.text import Untrusted
from engine.models import OperationKind, Stream, WorkspaceFile
from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, frames
from engine.sandbox.run.artifacts import well_named
from engine.sandbox.run.output import ARTIFACT_BYTES

_SECONDS = 15.0
_MOST = 256


async def files(container: Container) -> tuple[WorkspaceFile, ...]:
    """Return what lies in the workspace, at most 256 of them. Raises SandboxUnavailable."""
    word = await _look(container, OperationKind.LIST, "")
    found = [item for item in word.items if item.kind == "f" and well_named(item.name)]
    return tuple(
        WorkspaceFile(name=Untrusted(item.name), size=item.size, modified=item.modified)
        for item in found[:_MOST]
    )


async def content(container: Container, name: str) -> bytes | None:
    """Return a file of the workspace, or None where there is none. Raises SandboxUnavailable."""
    if not well_named(name):
        return None
    word = await _look(container, OperationKind.READ, name)
    if word.error or not word.files:
        return None
    found = word.files[0][1]
    if len(found) > ARTIFACT_BYTES:
        raise SandboxUnavailable(f"the file is larger than {ARTIFACT_BYTES >> 20} MiB")
    return found


async def _look(container: Container, act: OperationKind, path: str) -> ExitReport:
    command = ["/usr/bin/perl", "-e", container_spec.PEEK, "--", act.value, path, str(ARTIFACT_BYTES + 1)]
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await container.daemon.execute(container.id, command)
            try:
                return await _read(reader)
            finally:
                writer.transport.abort()
    except (APIError, DockerUnreachable, OSError, TimeoutError, FrameError) as error:
        raise SandboxUnavailable(f"the sandbox did not show its files: {error}") from error


async def _read(reader: asyncio.StreamReader) -> ExitReport:
    word = ExitReport(ARTIFACT_BYTES + 1)
    async with contextlib.aclosing(frames(reader)) as guest:
        async for stream, data in guest:
            if stream is Stream.STDOUT:
                word.feed(data)
            if word.complete:
                return word
    raise FrameError("the answer broke off")
