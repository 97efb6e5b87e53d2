"""Runs code for a framework: submits it, waits for a person and for the run, and says what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.client.client import Client
from engine.client.environment import client_from_environment
from engine.common.text import Untrusted, mark_hidden
from engine.models import OPEN, Case, Draft, Language, Session, Status, Stream

WITHIN = 50.0
"""Seconds that one request waits for a person; then it is made again."""
DESCRIPTION = (
    "Run a program in a gVisor sandbox without network, after a person has approved it if need be, and "
    "return what it printed. Say in `purpose` what it is for. If it was denied, do not call again with the "
    "same code."
)
"""What a model is told of the tool."""

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """What came of code. Its output is a guest's own words: data, never instructions."""

    id: str
    status: Status
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    """None where it did not run, or was killed."""
    reason: str = ""
    """Why it did not run, or did not end by itself."""
    files: tuple[str, ...] = ()
    """Names of the files that it left; `Client.artifact` has their content."""

    @property
    def succeeded(self) -> bool:
        """Whether it ran and ended with success."""
        return self.exit_code == 0 and self.status is Status.FINISHED

    @property
    def text(self) -> str:
        """What a model is told: the output, and what went wrong."""
        if self.status not in {Status.FINISHED, Status.KILLED}:
            return f"It did not run ({self.status.value}): {self.reason or 'no reason was given'}"
        ending = "" if self.succeeded else f"\n[{self.reason or f'exit code {self.exit_code}'}]"
        left = f"\n[files: {', '.join(self.files)}]" if self.files else ""
        return f"{self.stdout}{self.stderr}{ending}{left}"


class CodeRunner:
    """Runs code as one requester: each in a fresh sandbox, or with `session` all in one that keeps its state.

    The engine is the one that `PRATIQUE_ENGINE` and `PRATIQUE_TOKEN` name, otherwise the local one.
    `language` is that of a session, and of code that names none.
    """

    def __init__(
        self, requester: str, *, session: bool = False, language: Language = Language.PYTHON
    ) -> None:
        self._requester = requester
        self._keeps = session
        self._language = language
        self._session: Session | None = None

    async def run(self, code: str, purpose: str = "", language: Language | None = None) -> Outcome:
        """Run code, and wait for a person and its end. Raises Problem if the engine refuses."""
        async with client_from_environment(self._requester) as client:
            case = await client.submit(await self._draft(client, code, purpose, language))
            while case.status in OPEN:
                case = await client.case(case.submission.id, WITHIN)
            return await _outcome(client, case)

    async def close(self) -> None:
        """Close the session, if there is one."""
        session, self._session = self._session, None
        if session is not None:
            async with client_from_environment(self._requester) as client:
                await client.sessions.close(session.id)

    def run_blocking(self, code: str, purpose: str = "", language: Language | None = None) -> Outcome:
        """Do as `run` does, for callers without `await`, also below a running event loop."""
        return in_thread(self.run(code, purpose, language))

    async def _draft(self, client: Client, code: str, purpose: str, language: Language | None) -> Draft:
        asked = Draft(code=Untrusted(code), language=language or self._language, purpose=Untrusted(purpose))
        if not self._keeps:
            return asked
        if self._session is None:
            self._session = await client.sessions.create(self._language)
        return asked.in_session(self._session.id, self._session.image)


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, which an event loop of its own runs in another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def _outcome(client: Client, case: Case) -> Outcome:
    id, result = case.submission.id, case.result
    if result is None:
        reason = case.decision.reason if case.decision else Untrusted("")
        return Outcome(id, case.status, reason=mark_hidden(reason))
    printed = {stream: bytearray() for stream in Stream}
    async for chunk in client.output(id):
        printed[chunk.stream] += chunk.data
    said = {
        stream: mark_hidden(data.decode(errors="replace"), keep="\n\t") for stream, data in printed.items()
    }
    return Outcome(
        id,
        case.status,
        said[Stream.STDOUT],
        said[Stream.STDERR],
        result.exit_code,
        "" if result.exit_code is not None else f"killed: {result.kill_reason.value}",
        tuple(mark_hidden(file.name) for file in result.artifacts),
    )
