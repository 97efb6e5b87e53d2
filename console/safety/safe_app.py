"""An app that is safe from the text it displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from textual import events
from textual.app import App
from textual.filter import LineFilter

from console.safety.key_guard import KeyGuard
from console.safety.line_filter import UnsafeTextFilter


class SafeApp(App[None]):
    """Filters every line, never reads markup, records where keys come from, and crashes without secrets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._text_filter = UnsafeTextFilter()
        self.key_guard = KeyGuard()
        super().__init__(*args, **kwargs)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Apply the filter of unsafe text after every other filter."""
        return [*super().get_line_filters(), self._text_filter]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notification; its text is made visible and never read as markup."""
        from console.safety.text import visible_text  # noqa: PLC0415  the first frame is painted before it loads

        text = visible_text(message, keep="\n")
        super().notify(text, title=visible_text(title), severity=severity, timeout=timeout, markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Record keys and mouse buttons before anything acts on them."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.key_guard.record_key(event.time)
        elif isinstance(event, events.MouseDown) and not event.is_forwarded:
            self.key_guard.record_mouse(event.time)
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        from console.app.crash import is_after_close  # noqa: PLC0415

        if not is_after_close(error):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual's own report prints the values of variables: a guest's code, and secrets.
        from console.app.crash import crash_report  # noqa: PLC0415

        self._exit_renderables.append(crash_report())
        self._close_messages_no_wait()
