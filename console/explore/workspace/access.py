"""Lists, reads and writes the files of the sandbox that Explore uses.

While code runs, its files are read beside it. In a session in which nothing runs, each call is a submission
of its own, decided by its author like everything else in Explore.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.explore import run_follow
from console.explore.workspace.output import RunBytes
from engine.common.text import Untrusted
from engine.models import Draft, InputFile, Operation, OperationKind, Session, SessionState, Stream

if TYPE_CHECKING:
    from console.app.app import ConsoleApp

BUSY = frozenset({SessionState.RUNNING, SessionState.PAUSED})
PURPOSES = {
    OperationKind.LIST: "List the workspace in Explore",
    OperationKind.READ: "Open a file of the workspace in Explore",
    OperationKind.WRITE: "Save a file in the workspace from Explore",
}


@dataclass(frozen=True)
class Entry:
    """A file or a folder, as the guest says. Bytes."""

    name: Untrusted
    size: int
    is_folder: bool = False


class Workspace:
    """The files of a session, or of a run without one. Errors are notified, and nothing is returned."""

    def __init__(self, app: ConsoleApp, session: Session | None, run: str) -> None:
        self._app = app
        self._session = session
        self._run = run

    @property
    def session(self) -> str:
        """The id of the session; empty for a run without one."""
        return self._session.id if self._session else ""

    async def list(self, folder: str) -> tuple[Entry, ...] | None:
        """Return what is in a folder; of running code all files, with their folders in their names."""
        if run := await self._running():
            found = await self._app.connection.call(lambda client: client.files(run))
            return None if found is None else tuple(Entry(each.name, each.size) for each in found)
        answer = await self._call(Operation(kind=OperationKind.LIST, path=Untrusted(folder)))
        return None if answer is None else _entries(answer)

    async def read(self, path: str) -> bytes | None:
        """Return the bytes of a file."""
        if run := await self._running():
            return await self._app.connection.call(lambda client: client.artifact(run, Untrusted(path)))
        return await self._call(Operation(kind=OperationKind.READ, path=Untrusted(path)))

    async def write(self, path: str, data: bytes) -> bool:
        """Write a file of a session, once nothing runs in it; return whether that was done."""
        operation = Operation(kind=OperationKind.WRITE, path=Untrusted(path))
        file = InputFile(name=operation.path, content=data)
        return await self._call(operation, file) is not None

    async def _running(self) -> str:
        """Return the id of the run whose code runs in this sandbox now; nothing where none does."""
        id = self.session
        if not id:
            return self._run
        known = await self._app.connection.call(lambda client: client.sessions.get(id))
        return known.executions[-1] if known and known.state in BUSY and known.executions else ""

    async def _call(self, operation: Operation, *files: InputFile) -> bytes | None:
        """Submit one call, decide about it, and return what it wrote; None where it failed."""
        session, output = self._session, RunBytes()
        if session is None:
            return None
        draft = Draft(code=Untrusted(""), language=session.language, image=session.image, files=files,
                      session=session.id, purpose=Untrusted(PURPOSES[operation.kind]),
                      operation=operation)  # fmt: skip
        case = await self._app.connection.call(lambda client: client.submit(draft))
        if case is not None:
            case = await run_follow.run_own(self._app, case, output, lambda _: None)
        if case is not None and case.result is not None and case.result.exit_code == 0:
            return output.of(Stream.STDOUT)
        if case is not None:
            self._app.notify(output.reason or "The sandbox did not do that.", severity="error")
        return None


def _entries(answer: bytes) -> tuple[Entry, ...]:
    found = [Entry(Untrusted(each["name"]), int(each["size"]), each["kind"] == "folder")
             for each in json.loads(answer) if each["kind"] in {"file", "folder"}]  # fmt: skip
    return tuple(sorted(found, key=lambda each: (not each.is_folder, each.name.text)))
