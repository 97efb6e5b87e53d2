"""What is typed in Explore: the code with its language, and the purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.screen import Screen
from textual.widgets import Input

from console.explore import snippets
from console.explore.editor import Editor
from console.explore.snippets import SavedSnippet
from console.widgets.formatting import now
from engine.common.text import Untrusted
from engine.models import Language

KEPT_SECONDS = 0.3


class TypedText:
    """Reads and replaces what is typed, and saves it as a snippet; `attach` comes first."""

    _widgets: tuple[Editor, Input]
    """Editor and purpose; they can be read after the screen was closed."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    def attach(self) -> None:
        """Find the widgets, once the screen is mounted."""
        self._widgets = self._screen.query_one(Editor), self._screen.query_one("#purpose", Input)

    @property
    def editor(self) -> Editor:
        """The editor."""
        return self._widgets[0]

    def clear(self) -> None:
        """Begin an empty text in the same language."""
        editor, purpose = self._widgets
        editor.text, purpose.value = "", ""

    def show(self, text: str, language: Language) -> None:
        """Put a text in place of what is typed; the purpose stays."""
        self.editor.code_language, self.editor.text = language, text

    @property
    def current(self) -> SavedSnippet:
        """What the editor holds now."""
        return self.snapshot()()

    @property
    def beginning(self) -> SavedSnippet:
        """The first line of the editor that is not blank: a long text is not put together for a name."""
        editor, purpose = self._widgets
        first = next((line for line in editor.document.lines if line.strip()), "")
        return SavedSnippet(
            at=now(), language=editor.code_language, code=Untrusted(first), purpose=Untrusted(purpose.value)
        )

    def snapshot(self) -> Callable[[], SavedSnippet]:
        """Return what the editor holds now, to be put together later and on any thread."""
        editor, purpose = self._widgets
        at, lines, end = now(), tuple(editor.document.lines), editor.document.newline
        language, aim = editor.code_language, purpose.value
        return lambda: SavedSnippet(
            at=at, language=language, code=Untrusted(end.join(lines)), purpose=Untrusted(aim)
        )

    def replace(self, snippet: SavedSnippet) -> None:
        """Put a snippet in place of what is typed."""
        editor, purpose = self._widgets
        editor.code_language, editor.text = snippet.language, snippet.code.text
        purpose.value = snippet.purpose.text

    async def save_later(self, snippet: SavedSnippet, run: str = "") -> None:
        """Save what runs, a while later: its output comes first."""
        await asyncio.sleep(KEPT_SECONDS)
        await self.save(snippet, run=run)

    async def save(self, snippet: SavedSnippet | None = None, *, run: str = "") -> None:
        """Save a snippet, or what is typed, unless it is empty; `run` is the submission that it became."""
        wanted = (snippet or self.current).model_copy(update={"run": run})
        if not wanted.code.text.strip():
            return
        try:
            await asyncio.to_thread(snippets.save, wanted)
        except OSError as error:
            problem = f"{snippets.file()} cannot be written: {error.strerror}"
            self._screen.notify(problem, severity="warning")
