"""Runs cells in the session of Explore, one after the other; each is a submission of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from console.explore import run_follow, snippets
from console.explore.cells.collected import CollectedOutput
from console.explore.cells.notebook_read import MOST_PICTURE
from console.explore.cells.progress import CellProgress, partial_result
from console.explore.cells.results import PICTURE, CellResult, Shown
from console.explore.cells.script import Cell, CellKind
from console.explore.own_run import runs_at_once
from console.explore.sessions import OpenSession
from console.explore.snippets import SavedSnippet
from engine.client.client import Client
from engine.common.presentation import describe_result
from engine.common.text import Untrusted
from engine.models import Case, Display, Draft, Language, Stream

if TYPE_CHECKING:
    from console.app.app import ConsoleApp

MOST_PICTURES = 16
"""Pictures of one cell; more are in the artifacts of its run."""
LEAD_SECONDS = 0.05
"""The cells are painted so long after a cell began at most: the engine has its decision by then."""
SENT_SECONDS = 0.003
"""A request that was begun has left after this time."""
PURPOSE = "A cell of a notebook in Explore"


class CellRunner:
    """Runs cells and keeps what each gave, by index: another object whenever there is more to show."""

    def __init__(self, app: ConsoleApp, session: OpenSession) -> None:
        self._app = app
        self._session = session
        self._count = 0
        self.results: dict[int, CellResult] = {}
        """What each cell gave."""
        self.running: int | None = None
        """The cell that runs now."""
        self.last = 0
        """The cell that began last."""
        self.changed: Callable[[int], None] = lambda _: None
        """Is called with the index of a cell whenever there is more to show of it."""
        self._case: Case | None = None
        self._submitted = asyncio.Event()
        self.viewed = asyncio.Event()
        """Set while the cells are on screen: a sheet about one of them is shown over them."""

    async def with_engine(self) -> None:
        """Wait until the cell that begins now is with the engine, for a moment at most."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAD_SECONDS):
                await self._submitted.wait()
                await asyncio.sleep(SENT_SECONDS)

    async def run(
        self, cells: Sequence[Cell], indexes: Sequence[int], language: Language, image: str
    ) -> bool:
        """Run cells one after the other until one fails; return whether all succeeded."""
        for index in indexes:
            if cells[index].kind is CellKind.CODE and cells[index].source.strip():
                self.running = self.last = index
                try:
                    result = await self._run(index, cells[index].source, language, image)
                finally:
                    self.running = None
                if result is None or not result.succeeded:
                    return False
        return True

    async def ask(self, code: str, purpose: str, language: Language, image: str) -> Untrusted | None:
        """Run code in the session beside the cells, and return what it wrote; None where it failed."""
        output = CollectedOutput()
        case = await self._execute(code, purpose, language, image, output)
        ended = case is not None and case.result is not None and case.result.exit_code == 0
        return output.text(Stream.STDOUT) if ended else None

    async def interrupt(self) -> None:
        """Interrupt the cell that runs; the session goes on."""
        if (case := self._case) is not None and self.running is not None:
            await self._app.connection.call(lambda client: client.stop(case.submission.id))

    def forget(self) -> None:
        """Forget that anything ran: the session is another one. What was shown stays."""
        self._count = 0

    async def _run(self, index: int, code: str, language: Language, image: str) -> CellResult | None:
        self._submitted.clear()
        shown = CellProgress(code, partial(self._show, index))
        shown.say("running")
        case = await self._execute(code, PURPOSE, language, image, shown, partial(self._progress, shown))
        if case is None:
            self.results.pop(index, None)
            return None
        self._count += 1
        ended = _ended(code, shown.output, case)
        result = replace(ended, shown=await self._shown(case), number=self._count)
        self._show(index, result)
        await asyncio.to_thread(_keep, case)
        return result

    def _progress(self, shown: CellProgress, case: Case) -> None:
        self._case = case
        shown.say(case.status.value)

    def _show(self, index: int, result: CellResult) -> None:
        self.results[index] = result
        self.changed(index)

    async def _execute(self, code: str, purpose: str, language: Language, image: str,
                       output: run_follow.OutputSink, show: Callable[[Case], None] = lambda _: None,
                       ) -> Case | None:  # fmt: skip
        session = await self._session.open(language, image)
        if session is None:
            return None
        draft = Draft(code=Untrusted(code), language=language, purpose=Untrusted(purpose), session=session.id,
                      image=session.image)  # fmt: skip
        case = await self._app.connection.call(lambda client: client.submit(draft))
        self._submitted.set()
        if case is not None and not runs_at_once(case):
            await self.viewed.wait()
        return await run_follow.run_own(self._app, case, output, show) if case is not None else None

    async def _shown(self, case: Case) -> tuple[Shown, ...]:
        displays = case.result.displays if case.result else ()
        found, pictures = list[Shown](), 0
        for each in displays:
            pictures += each.digest is not None
            if each.digest is None or pictures <= MOST_PICTURES:
                found.append(await self._shown_one(case, each))
        return tuple(found)

    async def _shown_one(self, case: Case, display: Display) -> Shown:
        digest = display.digest
        if digest is None:
            return Shown(display.mime, display.text, final=display.final)

        async def picture(client: Client) -> bytes:
            return await client.artifact(case.submission.id, Untrusted(digest))

        data = await self._app.connection.call(picture) if display.size <= MOST_PICTURE else None
        return Shown(PICTURE, data=data, final=display.final) if data else Shown(display.mime, display.text)


def _keep(case: Case) -> None:
    """Keep the cell among what was tried."""
    draft, at = case.submission.draft, case.submission.submitted_at
    tried = SavedSnippet(at=at, language=draft.language, code=draft.code, run=case.submission.id)
    with contextlib.suppress(OSError):
        snippets.save(tried)


def _ended(code: str, output: CollectedOutput, case: Case) -> CellResult:
    result, run = case.result, case.submission.id
    if result is None:
        reason = f": {case.decision.reason.text}" if case.decision and case.decision.reason else ""
        return CellResult(code, status=case.status.value + reason, succeeded=False, run=run)
    return replace(
        partial_result(code, output), status=describe_result(result), succeeded=result.exit_code == 0,
        seconds=result.duration, memory=result.memory_peak, run=run,
    )  # fmt: skip
