"""The line on top of every screen: the desk, its five places, the isolation, and who waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from console.safety.text import Part, content

if TYPE_CHECKING:
    from textual import events

SCREENS = ("review", "run", "explore", "history", "health")


class AppHeader(Static):
    """Shows where the person is and how the house stands; a click on a place goes there."""

    DEFAULT_CSS = """
    AppHeader { dock: top; height: 1; background: $panel; color: $foreground; padding: 0 1; }
    """

    def __init__(self, place: str) -> None:
        super().__init__(id="app-header")
        self._place = place
        self._edges: list[tuple[int, int, str]] = []
        self._told = content()

    def on_mount(self) -> None:
        """Follow what the app knows."""
        for name in ("health", "queue", "link"):
            self.watch(self.app, name, self._changed, init=False)
        self._changed()

    def on_unmount(self) -> None:
        """Leave nothing of a closed screen behind."""
        from console.app.state import forget_gone  # noqa: PLC0415

        forget_gone(self.app)

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._changed()

    def _changed(self) -> None:
        left, right = self._left(), self._right()
        room = self.content_size.width - left.cell_length - right.cell_length
        words = Content.assemble(left, " " * max(1, room), right)
        if not words.is_same(self._told):
            self._told = words
            self.update(words, layout=False)

    def _left(self) -> Content:
        wide = self.app.size.width >= 96
        parts: list[Part] = [("Pratique", "bold accent"), "  "]
        at = len("Pratique") + 2
        self._edges = []
        for number, place in enumerate(SCREENS, start=1):
            here = place == self._place
            title = place.title()
            parts += [(f"{number}", "primary"), " ", (title, "bold underline" if here else "muted")]
            parts.append("   " if wide else "  ")
            self._edges.append((at, at + len(title) + 2, place))
            at += len(title) + (5 if wide else 4)
        return content(*parts)

    def _right(self) -> Content:
        return content(*self._policy(), *self._waiting(), *self._isolation())

    def _policy(self) -> list[Part]:
        from console.app.state import policy_fault  # noqa: PLC0415

        return policy_fault(self.app, wide=self.app.size.width >= 120)

    def _waiting(self) -> list[Part]:
        from console.app.state import counts  # noqa: PLC0415  the first frame comes before the nouns

        pending, running = counts(self.app)
        wide = self.app.size.width >= 96
        parts: list[Part] = []
        if pending:
            parts += [(f"{pending} waiting" if wide else f"{pending}w", "bold accent"), "  "]
        if running:
            parts += [(f"{running} running" if wide else f"{running}r", "success"), "  "]
        return parts

    def _isolation(self) -> list[Part]:
        from console.app.state import isolation  # noqa: PLC0415

        return isolation(self.app, wide=self.app.size.width >= 96)

    async def on_click(self, event: events.Click) -> None:
        """Go to the place under the mouse."""
        column = event.x - 1
        for start, end, place in self._edges:
            if start <= column < end:
                await self.app.run_action(f"go('{place}')")
