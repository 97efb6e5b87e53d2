"""Applies the keymap of the user's preferences to the app."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


class UserKeymap:
    """The keymap that the preferences set, held by the app."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app

    async def load(self) -> list[str]:
        """Apply the keymap; return an error message for each wrong entry."""
        preferences = self._app.preferences
        if not (preferences.vim or preferences.keymap):
            self._app.set_keymap({})
            return []
        keymap = await asyncio.to_thread(importlib.import_module, "console.app.keymap")
        good, faults = await asyncio.to_thread(keymap.checked, preferences.keymap, preferences.keymap_lines)
        self._app.set_keymap((keymap.VIM if preferences.vim else {}) | good)
        return list(faults)

    def reload(self) -> None:
        """Apply changed preferences in the background, and show what is wrong with them."""
        self._app.run_worker(self._reload(), group="keys", exclusive=True)

    async def _reload(self) -> None:
        for fault in await self.load():
            self._app.notify(fault, severity="warning", timeout=10)
