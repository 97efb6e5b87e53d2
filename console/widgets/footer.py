"""The footer: the keys of this screen, and at its right end the keys of commands and help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Input, TextArea

from console.app.textual_patches import FooterKey, FooterLabel, node_bindings, remove_closed_watchers

ALWAYS = {"app.command_palette": "Commands", "command_palette": "Commands", "help": "Help"}
"""Actions that are always shown at the right end, with their labels."""


class KeyFooter(Footer):
    """Textual's footer with all keys that the screen names; of those only `esc` is shown where few fit."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)

    def compose(self) -> ComposeResult:
        """Lay out the keys that the focused widget has, too, then the others."""
        if self._bindings_ready:
            yield from map(self._key, self._covered())
        yield from super().compose()

    def _covered(self) -> Iterator[Binding]:
        """Return the keys of the screen that the focused widget binds as well, but does not show."""
        active = self.screen.active_bindings
        shown = {each.binding.action for each in active.values() if each.binding.show}
        for binding in node_bindings(self.screen):
            found = active.get(binding.key)
            if binding.show and binding.action not in shown and found and not found.binding.show:
                yield binding

    def _key(self, binding: Binding, description: str = "") -> FooterKey:
        key = FooterKey(binding.key, self.app.get_key_display(binding), description or binding.description,
                        binding.action, tooltip=binding.tooltip)  # fmt: skip
        return key.data_bind(compact=Footer.compact)

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
        kept = [each for each in self.children if _stays(each)]
        left = self.size.width - sum(map(self._cells, kept))
        for entry in _entries(self.children):
            if entry[0] not in kept:
                left -= sum(map(self._cells, entry))
                for each in entry:
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


def _stays(widget: Widget) -> bool:
    return widget.has_class("-always") or (isinstance(widget, FooterKey) and widget.key == "escape")


def _entries(widgets: Sequence[Widget]) -> Iterator[list[Widget]]:
    """Return what is shown or left out together: a key, or a group of keys with its name."""
    entry: list[Widget] = []
    for each in widgets:
        if not isinstance(each, FooterLabel):
            yield from [entry] if entry else []
            entry = []
        entry.append(each)
    yield from [entry] if entry else []


class AppFooter(KeyFooter):
    """The footer of a screen: commands and help are always shown."""

    _listed: Sequence[object] = ()

    def compose(self) -> ComposeResult:
        """Lay out the keys, then those that are always shown."""
        yield from super().compose()
        yield Horizontal(*self._always(), classes="-always")

    def _covered(self) -> Iterator[Binding]:
        """Return nothing while a text is typed: there the keys are those of the text."""
        return iter(()) if self._writing else super()._covered()

    def _always(self) -> list[FooterKey]:
        found: dict[str, FooterKey] = {}
        writing = self._writing
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.action in ALWAYS and not (writing and binding.key == "question_mark"):
                found.setdefault(ALWAYS[binding.action], self._key(binding, ALWAYS[binding.action]))
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
