"""What keeps an app safe from what it shows: a backstop, no markup, noted keys, a crash without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from textual import events
from textual.app import App
from textual.filter import LineFilter

from console.safety.key_guard import KeyGuard
from console.safety.line_filter import UnsafeTextFilter


class SafeApp(App[None]):
    """An app that nothing a guest wrote can move, colour, or make it tell secrets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._backstop = UnsafeTextFilter()
        self.key_guard = KeyGuard()
        super().__init__(*args, **kwargs)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Put the backstop after every other filter of every line."""
        return [*super().get_line_filters(), self._backstop]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notice; its text is made visible and never read as markup."""
        from console.safety.text import visible_text  # noqa: PLC0415  the first frame comes before the nouns

        text = visible_text(message, keep="\n")
        super().notify(text, title=visible_text(title), severity=severity, timeout=timeout, markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Note when keys come, before anything acts on them."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.key_guard.note(event.time)
        elif isinstance(event, events.MouseDown) and not event.is_forwarded:
            self.key_guard.record_mouse(event.time)
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        from console.app.crash import too_late  # noqa: PLC0415

        if not too_late(error):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual's own prints local variables, and with them a guest's code and secrets, raw.
        from console.app.crash import report  # noqa: PLC0415

        self._exit_renderables.append(report())
        self._close_messages_no_wait()
