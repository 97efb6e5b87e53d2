"""Attaching files of this machine to what is submitted: by a typed path, or by dragging them here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from textual.screen import Screen

from console.explore import request_fields
from console.explore.running.submitted import Submitted
from engine.common.text import many, visible


class Attaching:
    """Adds input files to what is requested; `changed` is called after that."""

    def __init__(self, screen: Screen[None], submitted: Submitted, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._submitted = submitted
        self._changed = changed

    async def ask(self) -> None:
        """Ask for the path of a file, and attach it."""
        from console.explore.open_file import OpenScreen  # noqa: PLC0415  on its first use

        screen = OpenScreen(Path.cwd(), title="Attach a file", does="attaches")
        if (path := await self._screen.app.push_screen_wait(screen)) is not None:
            await self.attach((path,))

    async def attach(self, paths: tuple[Path, ...]) -> None:
        """Attach files, each in place of one of the same name, if they can be read now."""
        new = tuple(map(str, paths))
        try:
            await asyncio.to_thread(request_fields.read, new)
        except ValueError as error:
            self._screen.notify(str(error), severity="error")
            return
        names = {path.name for path in paths}
        options = self._submitted.options
        kept = tuple(each for each in options.paths if Path(each).name not in names)
        self._submitted.options = replace(options, paths=(*kept, *new))
        self._changed()
        said = ", ".join(visible(path.name) for path in paths)
        self._screen.notify(f"{said}: sent with each run, and read there by name. ctrl+n lists "
                            f"{many(len(kept) + len(new), 'attached file')}.")  # fmt: skip
