"""The footer: the keys of this screen, and at its right end the keys of commands and help."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Input, TextArea

from console.app.textual_patches import FooterKey, remove_closed_watchers

ALWAYS = {"app.command_palette": "Commands", "command_palette": "Commands", "help": "Help"}
"""Actions that are always shown at the right end, with their labels."""


class AppFooter(Footer):
    """Textual's footer; keys that do not fit are left out, commands and help are always shown."""

    _listed: Sequence[object] = ()

    def compose(self) -> ComposeResult:
        """Lay out the keys, then those that are always shown."""
        yield from super().compose()
        yield Horizontal(*self._always(), classes="-always")

    def _always(self) -> list[FooterKey]:
        found: dict[str, FooterKey] = {}
        writing = self._writing
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.action in ALWAYS and not (writing and binding.key == "question_mark"):
                key = FooterKey(binding.key, self.app.get_key_display(binding), ALWAYS[binding.action],
                                binding.action, tooltip=binding.tooltip)  # fmt: skip
                found.setdefault(ALWAYS[binding.action], key.data_bind(compact=Footer.compact))
        return [found[name] for name in ("Commands", "Help") if name in found]

    @property
    def _writing(self) -> bool:
        return isinstance(self.screen.focused, TextArea | Input)

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Lay out again where the keys changed."""
        active = screen.active_bindings.values()
        listed = [(self._writing, each.binding, each.enabled, each.tooltip) for each in active]
        if (listed != self._listed or not self.children) and screen.app.app_focus:
            self._listed = listed
            super().bindings_changed(screen)

    async def recompose(self) -> None:
        """Lay out again, and hide what does not fit."""
        await super().recompose()
        remove_closed_watchers(self)
        self._fit()

    def on_resize(self, event: events.Resize) -> None:
        """Hide what does not fit."""
        self._fit()

    def watch_compact(self) -> None:
        """Hide what does not fit."""
        self._fit()

    def _fit(self) -> None:
        if not self.children:
            return
        *keys, always = self.children
        left = self.size.width - self._cells(always)
        for each in keys:
            left -= self._cells(each)
            each.display = left >= 0

    def _cells(self, widget: Widget) -> int:
        """Return the width of a key, a group of keys or the name of a group."""
        if isinstance(widget, FooterKey):
            if not widget.description:
                return len(widget.key_display) + 1
            return len(widget.key_display) + len(widget.description) + (2 if self.compact else 3)
        if widget.children:
            return 2 + sum(self._cells(each) for each in widget.children)
        return len(str(getattr(widget, "content", ""))) + 2
