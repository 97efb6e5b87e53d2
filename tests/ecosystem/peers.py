"""Ways to run a snippet in a container: other projects', Docker's own and Pratique."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Limits, Permissions, Status
from tests.ecosystem import environments

IMAGE = "pratique/python"
PROGRAMS = Path(__file__).parents[1] / "data" / "peers"
RUN_SECONDS = 180.0


class CannotBeHad(Exception):
    """A peer does not run here; the text says why."""


@dataclass(frozen=True)
class Timing:
    """One run: seconds to the first byte (None where it is not told) and to the result, and its output."""

    first: float | None
    total: float
    size: int
    text: str


class Peer(Protocol):
    """A way to run a snippet."""

    name: str

    async def run(self, code: str) -> Timing:
        """Run a snippet in a sandbox of its own. Raises CannotBeHad."""


class PlainDocker:
    """`docker run`, with no option but the runtime."""

    def __init__(self, runtime: str) -> None:
        self.name = f"docker run, {runtime}"
        self._runtime = runtime

    async def run(self, code: str) -> Timing:
        """Run a snippet."""
        options = ("--rm", "--runtime", self._runtime, "--entrypoint", "python3")
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            "docker", "run", *options, IMAGE, "-u", "-c", code,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            head = await process.stdout.read(1)
            first = time.perf_counter() - began
            rest, said = await process.communicate()
        finally:
            _end(process)
        if process.returncode:
            raise CannotBeHad(said.decode(errors="replace").strip()[-200:])
        whole = head + rest
        return Timing(first, time.perf_counter() - began, len(whole), whole[:4000].decode(errors="replace"))


def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


class ForeignSandbox:
    """Another project's sandbox, driven by a program in an environment of its own."""

    def __init__(self, name: str, program: str, *requirements: str) -> None:
        self.name = name
        self._program = program
        self._requirements = requirements
        self._idle: list[asyncio.subprocess.Process] = []

    async def run(self, code: str) -> Timing:
        """Run a snippet; as many at once as are asked for, each by a process of its own."""
        process = self._idle.pop() if self._idle else await self._start()
        try:
            timing = await self._timing(process, code)
        except BaseException:
            _end(process)
            raise
        self._idle.append(process)
        return timing

    def close(self) -> None:
        """End the processes."""
        while self._idle:
            _end(self._idle.pop())

    async def _timing(self, process: asyncio.subprocess.Process, code: str) -> Timing:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"code": code}).encode() + b"\n")
        async with asyncio.timeout(RUN_SECONDS):
            line = await process.stdout.readline()
        said = json.loads(line or b'{"error": "it ended"}')
        if "error" in said:
            raise CannotBeHad(" ".join(said["error"].split())[-200:])
        return Timing(None, said["total"], said["size"], said["text"])

    async def _start(self) -> asyncio.subprocess.Process:
        python = environments.python_with(*self._requirements)
        return await asyncio.create_subprocess_exec(
            str(python), str(PROGRAMS / self._program), IMAGE,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=environments.environment_of(python.parent), limit=1 << 24,
        )  # fmt: skip


class Pratique:
    """A submission that a program approves at once."""

    name = "Pratique"

    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self, code: str) -> Timing:
        """Submit a snippet, approve it, and read its output."""
        limits = Limits(output_kb=20 * 1024)
        draft = Draft(code=Untrusted(code), language=Language.PYTHON, permissions=Permissions(limits=limits))
        began = time.perf_counter()
        case = await self._client.submit(draft)
        id = case.submission.id
        if case.status is Status.PENDING:
            await self._client.decide(id, DecisionOutcome.APPROVED, case.submission.digest)
        first, size, text = None, 0, b""
        async for chunk in self._client.output(id):
            first = first or time.perf_counter() - began
            size += len(chunk.data)
            text = (text + chunk.data)[:4000]
        case = await self._client.case(id, within=60)
        if case.result is None or case.result.exit_code:
            raise CannotBeHad(f"the run ended as {case.status.value}")
        return Timing(first, time.perf_counter() - began, size, text.decode(errors="replace"))
