"""How the console dresses: themes loaded, worn, tried on in the palette, reloaded when their file changes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import App
from textual.command import CommandPalette

from console.app.preferences import load_preferences, preferences_file, save_theme
from console.theming import theme

if TYPE_CHECKING:
    from console.app.preferences import Preferences

LOOK_SECONDS = 1.0
"""How often the files of themes and preferences are looked at."""
Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class ApplyTheme:
    """The command of the palette that puts a theme on."""

    app: ThemeManager
    name: str

    def __call__(self) -> None:
        """Wear the theme, and keep the choice."""
        self.app.apply(self.name)


class ThemeManager(App[None]):
    """An app that wears themes from files."""

    preferences: Preferences
    saves_preferences: bool = True
    """Whether a choice is written down for the next time."""

    def dress(self) -> list[str]:
        """Load all themes and wear the preferred one; return what was wrong with any of them."""
        loaded = theme.load((theme.shipped(), theme.own()))
        names = [each.name for each in loaded.themes]
        for each in loaded.themes:
            self.register_theme(each)
        problems = list(loaded.problems)
        wanted = self.preferences.theme
        if wanted not in names:
            problems.append(f"no theme is called {wanted}; there are {', '.join(names)}")
        self.theme = wanted if wanted in names else theme.DEFAULT
        for name in [name for name in self.available_themes if name not in names]:
            self.unregister_theme(name)
        return problems

    def apply(self, name: str) -> None:
        """Wear a theme and keep the choice."""
        self._before = self.theme = name
        if not self.saves_preferences:
            return
        try:
            save_theme(name)
        except OSError as error:
            self.notify(f"The choice could not be kept: {error.strerror}", severity="warning")

    # --- tried on in the palette --------------------------------------------------------------------

    _before: str = ""

    @on(CommandPalette.Opened)
    def _remember(self) -> None:
        self._before = self.theme

    @on(CommandPalette.OptionHighlighted)
    def _try_on(self, message: CommandPalette.OptionHighlighted) -> None:
        command = getattr(getattr(message.highlighted_event.option, "hit", None), "command", None)
        self.theme = command.name if isinstance(command, ApplyTheme) else self._before or self.theme

    @on(CommandPalette.Closed)
    def _put_back(self, message: CommandPalette.Closed) -> None:
        if not message.option_selected and self._before:
            self.theme = self._before

    # --- live ---------------------------------------------------------------------------------------

    async def watch_files(self) -> None:
        """Load themes and preferences anew whenever one of their files changes, for as long as this runs."""
        known = await asyncio.to_thread(stamps)
        fresh, wrong = await asyncio.to_thread(load_preferences)
        if self.saves_preferences and not wrong and fresh != self.preferences:
            self.reload()  # saved while the console opened
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = await asyncio.to_thread(stamps)
            if now != known:
                known = now
                self.reload()

    def preferred(self, before: Preferences) -> None:
        """Take in what is preferred now, and was not before."""

    def reload(self) -> None:
        """Take the files in as they are now; say what is wrong with them."""
        before, wrong = self.preferences, ""
        if self.saves_preferences:
            fresh, wrong = load_preferences()
            self.preferences = before if wrong else fresh
        wearing = self.theme
        problems = [*self.dress(), *([wrong] if wrong else [])]
        if not self.saves_preferences and wearing in self.available_themes:
            self.theme = wearing
        self.refresh_css(animate=False)
        self.screen.refresh(layout=True)
        self.preferred(before)
        for problem in problems:
            self.notify(problem, severity="warning", timeout=10)


def stamps() -> Stamp:
    """Return what changes when a file of a theme, or of the preferences, does."""
    files = [preferences_file(), *theme.own().glob("*.yaml"), *theme.shipped().glob("*.yaml")]
    return tuple(sorted(_stamp(path) for path in files))


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        found: Any = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), found.st_mtime_ns, found.st_size)
