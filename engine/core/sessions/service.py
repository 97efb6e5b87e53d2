"""Sessions: created and closed at once, and used through submissions like any run.

What an execution or a tool call gives back is its run's result and output: the bytes of a file that is read,
the JSON of a listing. Nothing is done in a session before its submission is approved.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.core.runs.service import Runs
from engine.core.sessions.registry import SessionRegistry
from engine.core.submissions.service import SubmissionService
from engine.history.errors import HistoryError
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
    Session,
    SessionState,
)
from engine.sandbox.api.backend import SessionStore

NOTHING = Permissions()
NOBODY = Principal(name=Untrusted("engine"), roles=frozenset())
REVOKED = "the token of its owner was revoked"
LOOK_SECONDS = 1.0
"""How often the time of sessions is looked at."""


class SessionService:
    """The sessions, for their owners."""

    def __init__(
        self,
        registry: SessionRegistry,
        events: EventBus,
        submissions: SubmissionService,
        runs: Runs,
        sessions: SessionStore,
        entitled: Callable[[Principal], bool],
    ) -> None:
        self._registry = registry
        self._events = events
        self._submissions = submissions
        self._runs = runs
        self._sessions = sessions
        self._entitled = entitled
        """Whether the token of an owner, if that has one, is not revoked."""

    async def create(self, by: Principal, language: Language, image: str = "") -> Session:
        """Open a session for a principal. It runs nothing, and takes no memory before its first execution.

        Raises:
            Problem: the principal has too many, or there are too many (429).
        """
        self._events.require_ready()
        session = self._registry.add(by, language, image)
        data = {"language": language.value, "image": session.image}
        try:
            await self._events.record("session.created", session.id, by.name, data=data)
        except HistoryError:
            self._registry.remove(session.id)
            raise
        if not self._entitled(by):  # the token was revoked meanwhile
            return await self._end(session, NOBODY, REVOKED)
        return session

    def list_open(self, by: Principal) -> tuple[Session, ...]:
        """Return a principal's own open sessions, the oldest first."""
        return tuple(one for one in self._registry.open if one.owner.is_same(by))

    def get(self, id: str, by: Principal) -> Session:
        """Return a principal's own session. Raises Problem where there is none (404)."""
        return self._registry.owned(id, by)

    async def close(self, id: str, by: Principal) -> Session:
        """Close a session at once, with whatever runs in it. Raises Problem where there is none (404)."""
        session = self._registry.owned(id, by)
        if session.state is SessionState.CLOSED:
            return session
        return await self._end(session, by, "closed by its owner")

    async def restart(self, id: str, by: Principal) -> Session:
        """Forget all that ran in a session, with whatever runs in it. Raises Problem where there is none."""
        session = self._registry.owned(id, by)
        if session.state is SessionState.CLOSED:
            raise Problem(409, f"session {id} is closed: {session.close_reason}", hint="Create another one.")
        await self._kill_current(session, by)
        self._sessions.reset(id)
        await self._events.record_soon("session.restarted", id, by.name)
        return self._registry.replace(session.with_state(SessionState.CREATED))

    async def close_expired(self) -> None:
        """End sessions whose time is over, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for session, why in self._registry.expired(datetime.now(UTC)):
                await self._end(session, NOBODY, why)

    async def close_revoked(self) -> None:
        """Close the sessions of tokens that are revoked, with whatever runs in them."""
        for session in self._registry.open:
            if not self._entitled(session.owner):
                await self._end(session, NOBODY, REVOKED)

    async def _end(self, session: Session, by: Principal, why: str) -> Session:
        """End a session at once, and record it then."""
        closed = self._registry.replace(session.closed(why))
        await self._kill_current(session, by)
        self._sessions.end(session.id)
        await self._events.record_soon("session.closed", session.id, by.name, data={"why": why})
        return closed

    async def _kill_current(self, session: Session, by: Principal) -> None:
        if run := _current(session):
            with contextlib.suppress(Problem):  # it may have ended meanwhile
                await self._runs.kill(run, by)

    # --- submitted for review; each raises Problem as `SubmissionService.submit` does

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
        """Submit code to run in a session, with what ran there before still there."""
        session = self._registry.owned(id, by)
        draft = Draft(
            code=Untrusted(code),
            language=session.language,
            files=files,
            permissions=permissions,
            purpose=Untrusted(purpose),
            image=session.image,
            session=id,
            expect=expect,
            verify=verify,
        )
        return await self._submissions.submit(draft, by)

    async def write_file(
        self, id: str, by: Principal, path: str, content: bytes, *, executable: bool = False
    ) -> Case:
        """Submit the writing of a file below `/workspace`."""
        operation = Operation(kind=OperationKind.WRITE, path=Untrusted(path), executable=executable)
        return await self._operate(id, by, operation, InputFile(name=Untrusted(path), content=content))

    async def read_file(self, id: str, by: Principal, path: str) -> Case:
        """Submit the reading of a file; its bytes are the run's standard output."""
        return await self._operate(id, by, Operation(kind=OperationKind.READ, path=Untrusted(path)))

    async def list_files(self, id: str, by: Principal, path: str = "") -> Case:
        """Submit the listing of a folder; the run's output is JSON: `[{"name", "size", "folder"}]`."""
        return await self._operate(id, by, Operation(kind=OperationKind.LIST, path=Untrusted(path)))

    async def file_metadata(self, id: str, by: Principal, path: str) -> Case:
        """Submit a question about one file; the run's output is one entry of a listing."""
        return await self._operate(id, by, Operation(kind=OperationKind.METADATA, path=Untrusted(path)))

    async def remove_file(self, id: str, by: Principal, path: str) -> Case:
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
        session = self._registry.owned(id, by)
        draft = Draft(
            code=Untrusted(""),
            language=session.language,
            files=files,
            permissions=operation.permissions,
            image=session.image,
            session=id,
            operation=operation,
        )
        return await self._submissions.submit(draft, by)


def _current(session: Session) -> str:
    at_work = session.state in {SessionState.RUNNING, SessionState.PAUSED}
    return session.executions[-1] if at_work else ""
