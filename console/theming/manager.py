"""Themes of the app: loaded, applied, previewed in the palette, reloaded when their files change."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from console.app.preferences import load_preferences, preferences_file, save_theme
from console.theming import theme

if TYPE_CHECKING:
    from textual.command import CommandPalette

    from console.app.app import ConsoleApp

POLL_SECONDS = 1.0
"""How often the files of themes and preferences are checked."""
FileStamp = tuple[str, int, int]


@dataclass(frozen=True)
class ApplyTheme:
    """The command of the palette that applies a theme."""

    themes: ThemeManager
    name: str

    def __call__(self) -> None:
        """Apply the theme, and save the choice."""
        self.themes.apply(self.name)


class ThemeManager:
    """Loads themes from files and applies them to the app; `saves` the choice for the next time."""

    def __init__(self, app: ConsoleApp, *, saves: bool) -> None:
        self._app = app
        self._saves = saves
        self._before = ""
        """The theme before a preview."""

    def load(self) -> list[str]:
        """Load all themes and apply the preferred one; return what was wrong with any of them."""
        loaded = theme.load((theme.shipped(), theme.own()))
        names = [each.name for each in loaded.themes]
        for each in loaded.themes:
            self._app.register_theme(each)
        problems = list(loaded.problems)
        wanted = self._app.preferences.theme
        if wanted not in names:
            problems.append(f"unknown theme {wanted}; available: {', '.join(names)}")
        self._app.theme = wanted if wanted in names else theme.DEFAULT
        for name in [name for name in self._app.available_themes if name not in names]:
            self._app.unregister_theme(name)
        return problems

    def apply(self, name: str) -> None:
        """Apply a theme and save the choice."""
        self._before = self._app.theme = name
        if not self._saves:
            return
        try:
            save_theme(name)
        except OSError as error:
            self._app.notify(f"The theme could not be saved: {error.strerror}", severity="warning")

    # --- preview ------------------------------------------------------------------------------------

    def begin_preview(self) -> None:
        """Remember the theme that is applied as the palette opens."""
        self._before = self._app.theme

    def preview(self, message: CommandPalette.OptionHighlighted) -> None:
        """Show the theme of the highlighted command; for any other command, the one before."""
        command = getattr(getattr(message.highlighted_event.option, "hit", None), "command", None)
        self._app.theme = command.name if isinstance(command, ApplyTheme) else self._before or self._app.theme

    def end_preview(self, message: CommandPalette.Closed) -> None:
        """Restore the theme that was applied before, unless one was chosen."""
        if not message.option_selected and self._before:
            self._app.theme = self._before

    # --- reload -------------------------------------------------------------------------------------

    async def watch_files(self) -> None:
        """Reload themes and preferences whenever one of their files changes, for as long as this runs."""
        known = await asyncio.to_thread(file_stamps)
        fresh, wrong = await asyncio.to_thread(load_preferences)
        if self._saves and not wrong and fresh != self._app.preferences:
            self.reload()  # saved while the console started
        while True:
            await asyncio.sleep(POLL_SECONDS)
            now = await asyncio.to_thread(file_stamps)
            if now != known:
                known = now
                self.reload()

    def reload(self) -> None:
        """Load the files as they are now; notify the user of what is wrong with them."""
        before, applied = self._app.preferences, self._app.theme
        wrong = self._reload_preferences()
        problems = [*self.load(), *([wrong] if wrong else [])]
        if not self._saves and applied in self._app.available_themes:
            self._app.theme = applied
        self._app.refresh_css(animate=False)
        self._app.screen.refresh(layout=True)
        self._app.preferences_changed(before)
        for problem in problems:
            self._app.notify(problem, severity="warning", timeout=10)

    def _reload_preferences(self) -> str:
        if not self._saves:
            return ""
        fresh, wrong = load_preferences()
        if not wrong:
            self._app.preferences = fresh
        return wrong


def file_stamps() -> tuple[FileStamp, ...]:
    """Return path, time and size of every file of themes and preferences."""
    files = [preferences_file(), *theme.own().glob("*.yaml"), *theme.shipped().glob("*.yaml")]
    return tuple(sorted(_stamp(path) for path in files))


def _stamp(path: Path) -> FileStamp:
    try:
        found = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), found.st_mtime_ns, found.st_size)
