"""Files of a sandbox that are open in tabs: each is saved back where it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from textual.screen import Screen

from console.app.state import console_app
from console.explore import file_watch
from console.explore.drafts import DraftStore
from console.explore.editing.language import detected
from console.explore.editing.tabs import MOST_TABS, Tabs
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText
from console.explore.workspace.access import Workspace
from engine.common.text import visible

NOTHING_OPEN = "Nothing runs, and no session is open. ctrl+b opens one; what runs in it shares its files."


@dataclass
class SandboxFile:
    """A file as it was when it was read or written last."""

    workspace: Workspace
    path: str
    digest: str


class SandboxFiles:
    """Shows the workspace, opens its files in tabs and saves them back."""

    def __init__(
        self, screen: Screen[None], typed: TypedText, tabs: Tabs, session: OpenSession, run: Callable[[], str]
    ) -> None:
        self._screen = screen
        self._typed = typed
        self._tabs = tabs
        self._session = session
        self._run = run
        self._known: dict[DraftStore, SandboxFile] = {}

    @property
    def current(self) -> SandboxFile | None:
        """The file in the tab that is shown; None where that holds something else."""
        return self._known.get(self._tabs.store)

    async def show(self) -> None:
        """Show the files, and open in a tab what is chosen."""
        from console.explore.workspace.screen import WorkspaceScreen  # noqa: PLC0415  on its first use

        session, run = self._session.current, self._run()
        if session is None and not run:
            self._screen.notify(NOTHING_OPEN, severity="warning")
            return
        workspace = Workspace(console_app(self._screen), session, run)
        chosen = await self._screen.app.push_screen_wait(WorkspaceScreen(workspace))
        if chosen is not None:
            await self._open(workspace, *chosen)

    async def _open(self, workspace: Workspace, path: str, data: bytes) -> None:
        name = PurePosixPath(path).name
        if not await self._tabs.new(name):
            self._screen.notify(f"{MOST_TABS} tabs are open. F4 closes one.", severity="warning")
            return
        text = data.decode()
        language = file_watch.LANGUAGES.get(PurePosixPath(path).suffix) or detected(text)
        self._typed.show(text, language or self._typed.editor.code_language)
        self._known[self._tabs.store] = SandboxFile(workspace, path, _digest(data))

    async def save(self) -> None:
        """Write the file of this tab in the sandbox, unless it was changed there since it was read."""
        if (file := self.current) is None:
            return
        if not file.workspace.session:
            self._screen.notify("Files of a run without a session can only be read.", severity="warning")
            return
        found = await file.workspace.read(file.path)
        if found is not None and _digest(found) != file.digest:
            file.digest = _digest(found)
            self._screen.notify(
                f"{visible(file.path)} was changed in the sandbox since. ctrl+s again replaces it.",
                severity="warning",
            )
            return
        data = self._typed.editor.text.encode()
        if await file.workspace.write(file.path, data):
            file.digest = _digest(data)
            self._screen.notify(f"Saved {visible(file.path)} in the sandbox")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
