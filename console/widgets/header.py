"""The header of every screen: the five screens, pending and running submissions, isolation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from console.app.textual_patches import remove_closed_watchers
from console.safety.text import Part, content

if TYPE_CHECKING:
    from textual import events

SCREENS = ("review", "run", "explore", "history", "health")


LOOK_SECONDS = 1.0
"""How often it is looked whether the engine still says how it is."""


class AppHeader(Static):
    """Shows the current screen and the state of the engine; a click on a screen's name opens it."""

    DEFAULT_CSS = """
    AppHeader { dock: top; height: 1; background: $panel; color: $foreground; padding: 0 1; }
    """

    def __init__(self, screen_name: str) -> None:
        super().__init__(id="app-header")
        self._screen_name = screen_name
        self._edges: list[tuple[int, int, str]] = []
        self._content = content()

    def on_mount(self) -> None:
        """Follow the state of the engine."""
        for name in ("health", "queue", "connection_state"):
            self.watch(self.app, name, self._changed, init=False)
        self.set_interval(LOOK_SECONDS, self._changed)
        self._changed()

    def on_unmount(self) -> None:
        """Drop the watchers of a closed screen."""
        remove_closed_watchers(self.app)

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._changed()

    def _changed(self) -> None:
        left, right = self._left(), self._right()
        room = self.content_size.width - left.cell_length - right.cell_length
        words = Content.assemble(left, " " * max(1, room), right)
        if not words.is_same(self._content):
            self._content = words
            self.update(words, layout=False)

    def _left(self) -> Content:
        wide = self.app.size.width >= 96
        parts: list[Part] = [("Pratique", "bold accent"), "  "]
        at = len("Pratique") + 2
        self._edges = []
        for number, name in enumerate(SCREENS, start=1):
            here = name == self._screen_name
            title = name.title()
            parts += [(f"{number}", "primary"), " ", (title, "bold underline" if here else "muted")]
            parts.append("   " if wide else "  ")
            self._edges.append((at, at + len(title) + 2, name))
            at += len(title) + (5 if wide else 4)
        return content(*parts)

    def _right(self) -> Content:
        return content(*self._policy(), *self._counts(), *self._isolation())

    def _policy(self) -> list[Part]:
        from console.app.state import policy_fault  # noqa: PLC0415

        return policy_fault(self.app, wide=self.app.size.width >= 120)

    def _counts(self) -> list[Part]:
        from console.app.state import counts  # noqa: PLC0415  the first frame is painted before it loads

        pending, running = counts(self.app)
        wide = self.app.size.width >= 96
        parts: list[Part] = []
        if pending:
            parts += [(f"{pending} pending" if wide else f"{pending}p", "bold accent"), "  "]
        if running:
            parts += [(f"{running} running" if wide else f"{running}r", "success"), "  "]
        return parts

    def _isolation(self) -> list[Part]:
        from console.app.state import isolation  # noqa: PLC0415

        return isolation(self.app, wide=self.app.size.width >= 96)

    async def on_click(self, event: events.Click) -> None:
        """Open the screen whose name was clicked."""
        column = event.x - 1
        for start, end, name in self._edges:
            if start <= column < end:
                await self.app.run_action(f"go('{name}')")
