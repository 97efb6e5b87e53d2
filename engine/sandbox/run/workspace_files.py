"""Reads the files of a running program: a process beside it lists them, or reads one.

Whatever it reports comes from the guest.
"""

from __future__ import annotations

import asyncio
import contextlib

from engine.common.text import Untrusted
from engine.models import OperationKind, Stream, WorkspaceFile
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, frames
from engine.sandbox.guest_protocol.programs import WORKSPACE_FILES
from engine.sandbox.run.artifacts import is_valid_name
from engine.sandbox.run.output import ARTIFACT_BYTES

_SECONDS = 15.0
_MOST = 256


async def files(sandbox: Sandbox) -> tuple[WorkspaceFile, ...]:
    """Return the files in the workspace, at most 256. Raises SandboxUnavailable."""
    report = await _read_workspace(sandbox, OperationKind.LIST, "")
    found = [item for item in report.items if item.kind == "f" and is_valid_name(item.name)]
    return tuple(
        WorkspaceFile(name=Untrusted(item.name), size=item.size, modified=item.modified)
        for item in found[:_MOST]
    )


async def content(sandbox: Sandbox, name: str) -> bytes | None:
    """Return a file of the workspace, or None where there is none. Raises SandboxUnavailable."""
    if not is_valid_name(name):
        return None
    report = await _read_workspace(sandbox, OperationKind.READ, name)
    if report.error or not report.files:
        return None
    found = report.files[0][1]
    if len(found) > ARTIFACT_BYTES:
        raise SandboxUnavailable(f"the file is larger than {ARTIFACT_BYTES >> 20} MiB")
    return found


async def _read_workspace(sandbox: Sandbox, operation: OperationKind, path: str) -> ExitReport:
    arguments = [operation.value, path, str(ARTIFACT_BYTES + 1)]
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await sandbox.start_process(
                ["/usr/bin/perl", "-e", WORKSPACE_FILES, "--", *arguments]
            )
            try:
                return await _read(reader)
            finally:
                writer.transport.abort()
    except (SandboxUnavailable, OSError, FrameError) as error:
        raise SandboxUnavailable(f"the files in the sandbox cannot be read: {error}") from error


async def _read(reader: asyncio.StreamReader) -> ExitReport:
    report = ExitReport(ARTIFACT_BYTES + 1)
    async with contextlib.aclosing(frames(reader)) as guest:
        async for stream, data in guest:
            if stream is Stream.STDOUT:
                report.feed(data)
            if report.complete:
                return report
    raise FrameError("the answer is incomplete")
