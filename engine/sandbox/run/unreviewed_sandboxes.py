"""Operations on sandboxes for programs of this installation: without review, and nothing is recorded."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.common.text import Untrusted, visible
from engine.models import (
    InputFile,
    Language,
    Limits,
    Meters,
    Operation,
    OperationKind,
    OutputChunk,
    Package,
    Permissions,
    Result,
    Stream,
)
from engine.sandbox.api.backend import Backend
from engine.sandbox.api.egress_policy import EgressPolicy
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.job import Job
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest, permit_image
from engine.sandbox.api.run_events import RunEvent


class OperationFailed(Exception):
    """The sandbox could not carry out an operation; the message is its own."""


@dataclass(frozen=True, slots=True)
class ExecutionOutput:
    """The result of an execution, and its output."""

    result: Result
    stdout: bytes
    stderr: bytes


@dataclass
class _Open:
    """A sandbox, and what its executions are granted."""

    language: Language
    image_digest: str
    limits: Limits
    network: NetworkSpec | None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    meters: Meters | None = None


class _CapturedOutput:
    """Keeps the output of one execution, within its limit."""

    def __init__(self, sandbox: _Open) -> None:
        self.streams = dict.fromkeys(Stream, b"")
        self._sandbox = sandbox

    async def permit(self, request: StartRequest) -> StartPermit:
        return permit_image(request, self._sandbox.image_digest)

    async def output(self, chunk: OutputChunk) -> None:
        self.streams[chunk.stream] += chunk.data

    def meters(self, sample: Meters) -> None:
        self._sandbox.meters = sample

    async def event(self, event: RunEvent) -> None:
        pass


class UnreviewedSandboxes:
    """Sandboxes of one backend. One with a network keeps no state between executions; any other does."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._open: dict[str, _Open] = {}

    async def create_sandbox(
        self,
        language: Language,
        *,
        allowed_domains: Sequence[str] = (),
        limits: Limits | None = None,
        image: str = "",
    ) -> str:
        """Open a sandbox and return its name. Raises SandboxUnavailable: there can be none like that."""
        domains = tuple(Untrusted(name) for name in allowed_domains)
        self._require(language, Permissions(domains=domains, session=not domains))
        settings = self._backend.settings
        images = settings.images if domains else settings.session_images
        policy = EgressPolicy.of(tuple(allowed_domains), settings.network)
        sandbox = f"direct-{uuid.uuid4().hex[:12]}"
        self._open[sandbox] = _Open(
            language,
            await self._backend.image_digest(f"pratique/{image or images[language]}"),
            limits or Limits(),
            NetworkSpec(policy) if domains else None,
        )
        return sandbox

    async def execute_code(self, sandbox: str, code: str, files: Sequence[InputFile] = ()) -> ExecutionOutput:
        """Run code. Raises SandboxUnavailable."""
        return await self._run(sandbox, code.encode(), tuple(files))

    async def install_package(self, sandbox: str, *packages: Package, builds: Sequence[str] = ()) -> None:
        """Install packages, by their hashes, for what follows. Raises Failed, SandboxUnavailable."""
        names = tuple(Untrusted(name) for name in builds)
        language = self._open[sandbox].language
        self._require(language, Permissions(packages=packages, builds=names, session=True))
        await self._call(
            sandbox, Operation(kind=OperationKind.INSTALL), packages=packages, builds=tuple(builds)
        )

    async def write_file(self, sandbox: str, path: str, content: bytes) -> None:
        """Write a file below `/workspace`. Raises Failed, SandboxUnavailable."""
        written = InputFile(name=Untrusted(path), content=content)
        await self._call(sandbox, Operation(kind=OperationKind.WRITE, path=Untrusted(path)), (written,))

    async def read_file(self, sandbox: str, path: str) -> bytes:
        """Return a file, as far as the limit of output goes. Raises Failed, SandboxUnavailable."""
        return (await self._call(sandbox, Operation(kind=OperationKind.READ, path=Untrusted(path)))).stdout

    async def list_files(self, sandbox: str, path: str = "") -> list[dict[str, Any]]:
        """Return the entries of a folder; names are the guest's own. Raises Failed, SandboxUnavailable."""
        done = await self._call(sandbox, Operation(kind=OperationKind.LIST, path=Untrusted(path)))
        return list(json.loads(done.stdout))

    async def destroy_sandbox(self, sandbox: str) -> None:
        """End a sandbox, with whatever runs in it."""
        self._open.pop(sandbox)
        await self._backend.kill(sandbox, "its owner")
        self._backend.sessions.end(sandbox)

    async def pause(self, sandbox: str) -> None:
        """Pause what runs in a sandbox. Raises SandboxUnavailable."""
        if not self._backend.capabilities.pause or not await self._backend.pause(sandbox):
            raise SandboxUnavailable("nothing runs there that can be paused")

    async def resume(self, sandbox: str) -> None:
        """Resume what was paused. Raises SandboxUnavailable."""
        if not await self._backend.resume(sandbox):
            raise SandboxUnavailable("nothing is paused there")

    async def signal(self, sandbox: str, name: Literal["TERM", "KILL"]) -> None:
        """Ask what runs in a sandbox to end, or end it at once."""
        end = self._backend.kill if name == "KILL" else self._backend.stop
        await end(sandbox, "its owner")

    def stats(self, sandbox: str) -> Meters | None:
        """Return the last sample of what a sandbox used; None before the first."""
        return self._open[sandbox].meters

    def _require(self, language: Language, wanted: Permissions) -> None:
        if missing := self._backend.capabilities.missing(language, wanted):
            raise SandboxUnavailable(f"sandboxes here have {missing}")

    async def _call(
        self, sandbox: str, operation: Operation, files: tuple[InputFile, ...] = (), **more: Any
    ) -> ExecutionOutput:
        done = await self._run(sandbox, b"", files, operation=operation, **more)
        if done.result.exit_code != 0:
            message = done.stderr.decode("utf-8", "replace").strip() or "; ".join(done.result.evidence)
            raise OperationFailed(visible(Untrusted(f"{operation.kind} {operation.path.text}: {message}")))
        return done

    async def _run(
        self, sandbox: str, code: bytes, files: tuple[InputFile, ...], **more: Any
    ) -> ExecutionOutput:
        opened = self._open[sandbox]
        if opened.network is not None and "operation" in more:
            raise OperationFailed("a sandbox with a network keeps no state between executions")
        session = "" if opened.network else sandbox
        listener = _CapturedOutput(opened)
        async with opened.turn:
            job = Job(
                sandbox,
                opened.language,
                opened.image_digest,
                code,
                files,
                opened.limits,
                principal="direct",
                session=session,
                network=opened.network,
                **more,
            )
            result = await self._backend.run(job, listener)
        return ExecutionOutput(result, listener.streams[Stream.STDOUT], listener.streams[Stream.STDERR])
