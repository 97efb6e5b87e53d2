"""The notebook of Explore: what its cells gave, their session, and the file that was opened."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from console.explore.cells import exports, notebook_read, notebook_write
from console.explore.cells.results import aligned
from console.explore.cells.runner import CellRunner
from console.explore.cells.script import Cell, joined, split
from console.explore.preview.server_preview import ServerPreview
from console.explore.sessions import OpenSession
from engine.common.local_files import read_file
from engine.common.text import Untrusted
from engine.models import Language

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


@dataclass(frozen=True)
class Origin:
    """A notebook file, as it was when it was read or written last."""

    path: Path
    digest: str


class Notebook:
    """Runs the cells of the script in the editor, and reads and writes notebook files."""

    def __init__(self, app: ConsoleApp, session: OpenSession, preview: ServerPreview) -> None:
        self.session = session
        self.preview = preview
        """Shows what a cell serves."""
        self.runner = CellRunner(app, session)
        self.origin: Origin | None = None
        """The notebook file that was opened."""
        self.image = ""
        """The image of a session that is opened; empty is the default of the language."""

    def cells(self, text: str, language: Language) -> tuple[Cell, ...]:
        """Return the cells of a script, and put what earlier ones gave to those that they are now."""
        cells = split(text, language)
        self.runner.results = aligned(self.runner.results, cells)
        return cells

    async def run(self, cells: Sequence[Cell], indexes: Sequence[int], language: Language) -> bool:
        """Run cells one after the other until one fails; return whether all succeeded."""
        return await self.runner.run(cells, indexes, language, self.image)

    async def ask(self, code: str, purpose: str, language: Language) -> Untrusted | None:
        """Return what code wrote in the session; None where it failed."""
        return await self.runner.ask(code, purpose, language, self.image)

    async def restart(self) -> None:
        """Close the session, with whatever runs in it."""
        await self.session.close()
        self.runner.forget()

    async def open(self, path: Path) -> tuple[str, Language]:
        """Read a notebook file; return its script and its language.

        Raises:
            ValueError: it cannot be read, or is no notebook; the text says which.
        """
        try:
            data = await asyncio.to_thread(read_file, path, notebook_read.MOST_BYTES, follow=False)
        except OSError as error:
            raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None
        try:
            language, cells, results = await asyncio.to_thread(notebook_read.read, data)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None
        text = joined(cells, language)
        self.runner.results = aligned(results, split(text, language))
        self.origin = Origin(path, hashlib.sha256(data).hexdigest())
        return text, language

    def write(self, language: Language, cells: Sequence[Cell]) -> str:
        """Put the cells in place of the file that was opened, and return its name.

        Raises:
            Problem: another program changed it, or it cannot be written.
        """
        origin = self.origin
        if origin is None:
            return ""
        data = notebook_write.written(language, cells, self.runner.results)
        self.origin = Origin(origin.path, exports.replace(origin.path, origin.digest, data))
        return str(origin.path)
