"""Sandboxes that stay: created and destroyed at once, and used through the desk like any run.

What an execution or a tool call gives back is its run's result and output: the bytes of a file that is read,
the JSON of a listing. Nothing is done in a sandbox before its submission is approved.
"""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.core.runs.service import Runs
from engine.core.sessions.registry import Register
from engine.core.submissions.service import SubmissionService
from engine.models import (
    Case,
    Draft,
    ExpectedOutput,
    InputFile,
    Language,
    Operation,
    OperationKind,
    Package,
    Permissions,
    Principal,
    Sandbox,
    SandboxState,
)
from engine.sandbox.api.backend import SessionStore

NOTHING = Permissions()
NOBODY = Principal(name=Untrusted("engine"), roles=frozenset())
LOOK_SECONDS = 1.0
"""How often the time of sandboxes is looked at."""


class Sandboxes:
    """The sandboxes that stay, for their owners."""

    def __init__(
        self,
        register: Register,
        events: EventBus,
        submissions: SubmissionService,
        runs: Runs,
        sessions: SessionStore,
    ) -> None:
        self._register = register
        self._events = events
        self._submissions = submissions
        self._runs = runs
        self._sessions = sessions

    async def create(self, by: Principal, language: Language, image: str = "") -> Sandbox:
        """Open a sandbox for a principal. It runs nothing, and takes no memory before its first execution.

        Raises:
            Problem: the principal has too many, or there are too many (429).
        """
        sandbox = self._register.enter(by, language, image)
        data = {"language": language.value, "image": sandbox.image}
        await self._events.record("sandbox.opened", sandbox.id, by.name, data=data)
        return sandbox

    def listed(self, by: Principal) -> tuple[Sandbox, ...]:
        """Return a principal's own sandboxes that are not gone, the oldest first."""
        return tuple(one for one in self._register.living if one.owner.name == by.name)

    def get(self, id: str, by: Principal) -> Sandbox:
        """Return a principal's own sandbox. Raises Problem where there is none (404)."""
        return self._register.own(id, by)

    async def destroy(self, id: str, by: Principal) -> Sandbox:
        """End a sandbox at once, with whatever runs in it. Raises Problem where there is none (404)."""
        sandbox = self._register.own(id, by)
        if sandbox.state is SandboxState.GONE:
            return sandbox
        return await self._close(sandbox, by, "destroyed by its owner")

    async def interrupt(self, id: str, by: Principal) -> Sandbox:
        """Interrupt what runs in a sandbox: its state stays, unless it does not obey within the grace.

        Raises:
            Problem: there is no such sandbox, or nothing runs in it.
        """
        sandbox = self._register.own(id, by)
        run = _current(sandbox)
        if not run:
            raise Problem(409, f"nothing runs in sandbox {id}")
        await self._events.record("sandbox.interrupt", id, by.name)
        await self._runs.stop(run, by)
        return sandbox

    async def restart(self, id: str, by: Principal) -> Sandbox:
        """Forget all that ran in a sandbox, with whatever runs in it. Raises Problem where there is none."""
        sandbox = self._register.own(id, by)
        if sandbox.state is SandboxState.GONE:
            raise Problem(409, f"sandbox {id} is gone: {sandbox.why}", hint="Create another one.")
        await self._events.record("sandbox.restart", id, by.name)
        await self._kill_current(sandbox, by)
        self._sessions.renew(id)
        return self._register.change(id, state=SandboxState.CREATED)

    async def keep(self) -> None:
        """End sandboxes whose time is over, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for sandbox, why in self._register.overdue(datetime.now(UTC)):
                await self._close(sandbox, NOBODY, why)

    async def _close(self, sandbox: Sandbox, by: Principal, why: str) -> Sandbox:
        await self._events.record("sandbox.closed", sandbox.id, by.name, data={"why": why})
        closed = self._register.change(sandbox.id, state=SandboxState.GONE, why=why)
        await self._kill_current(sandbox, by)
        self._sessions.end(sandbox.id)
        return closed

    async def _kill_current(self, sandbox: Sandbox, by: Principal) -> None:
        if run := _current(sandbox):
            with contextlib.suppress(Problem):  # it may have ended meanwhile
                await self._runs.kill(run, by)

    # --- through the desk; each raises Problem as `Desk.submit` does

    async def execute(
        self,
        id: str,
        by: Principal,
        code: str,
        *,
        purpose: str = "",
        files: tuple[InputFile, ...] = (),
        permissions: Permissions = NOTHING,
        expect: ExpectedOutput = ExpectedOutput.ANYTHING,
        verify: str = "",
    ) -> Case:
        """Submit code to run in a sandbox, with what ran there before still there."""
        sandbox = self._register.own(id, by)
        draft = Draft(
            code=Untrusted(code),
            language=sandbox.language,
            files=files,
            permissions=permissions,
            purpose=Untrusted(purpose),
            image=sandbox.image,
            sandbox=id,
            expect=expect,
            verify=verify,
        )
        return await self._submissions.submit(draft, by)

    async def write(
        self, id: str, by: Principal, path: str, content: bytes, *, executable: bool = False
    ) -> Case:
        """Submit the writing of a file below `/workspace`."""
        operation = Operation(kind=OperationKind.WRITE, path=Untrusted(path), executable=executable)
        return await self._operate(id, by, operation, InputFile(name=Untrusted(path), content=content))

    async def read(self, id: str, by: Principal, path: str) -> Case:
        """Submit the reading of a file; its bytes are the run's standard output."""
        return await self._operate(id, by, Operation(kind=OperationKind.READ, path=Untrusted(path)))

    async def files(self, id: str, by: Principal, path: str = "") -> Case:
        """Submit the listing of a folder; the run's output is JSON: `[{"name", "size", "folder"}]`."""
        return await self._operate(id, by, Operation(kind=OperationKind.LIST, path=Untrusted(path)))

    async def metadata(self, id: str, by: Principal, path: str) -> Case:
        """Submit a question about one file; the run's output is one entry of a listing."""
        return await self._operate(id, by, Operation(kind=OperationKind.METADATA, path=Untrusted(path)))

    async def remove(self, id: str, by: Principal, path: str) -> Case:
        """Submit the removal of a file."""
        return await self._operate(id, by, Operation(kind=OperationKind.REMOVE, path=Untrusted(path)))

    async def install(
        self, id: str, by: Principal, packages: tuple[Package, ...], builds: tuple[Untrusted, ...] = ()
    ) -> Case:
        """Submit the installation of packages for the executions that follow.

        `builds` names those that may run code of their own meanwhile.
        """
        wants = Permissions(packages=packages, builds=builds)
        return await self._operate(id, by, Operation(kind=OperationKind.INSTALL, permissions=wants))

    async def _operate(self, id: str, by: Principal, operation: Operation, *files: InputFile) -> Case:
        sandbox = self._register.own(id, by)
        draft = Draft(
            code=Untrusted(""),
            language=sandbox.language,
            files=files,
            permissions=operation.permissions,
            image=sandbox.image,
            sandbox=id,
            operation=operation,
        )
        return await self._submissions.submit(draft, by)


def _current(sandbox: Sandbox) -> str:
    at_work = sandbox.state in {SandboxState.RUNNING, SandboxState.PAUSED}
    return sandbox.executions[-1] if at_work else ""
