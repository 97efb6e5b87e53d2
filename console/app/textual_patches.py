"""The internals of Textual that the console uses, in one place, each with its reason."""

from __future__ import annotations

import gc
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual._context import active_message_pump
from textual._styles_cache import StylesCache
from textual.command import CommandPalette
from textual.document._document import Document
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Region, Size
from textual.widgets._footer import FooterKey, FooterLabel

if TYPE_CHECKING:
    from textual.app import App
    from textual.binding import Binding
    from textual.content import Content
    from textual.dom import DOMNode
    from textual.widget import Widget
    from textual.widgets import Static

    from console.safety.key_guard import KeyGuard

__all__ = ["FooterKey", "FooterLabel", "StylesCache"]

CHECK_SECONDS = 0.2
COLLECT_SECONDS = 30.0
IDLE_SECONDS = 1.0
"""A full collection, which blocks the screen, waits until no key was pressed for so long."""
PAUSE_SECONDS = 0.1
"""What is newest is collected, in a few milliseconds, once no key was pressed for so long."""


def share_colour_cache() -> None:
    """Cache pairs of colours by class: a cache by instance keeps a thousand widgets with their lines."""
    method = StylesCache.__dict__["get_inner_outer"]
    if not isinstance(method, classmethod):
        cached: Any = lru_cache(1024)
        StylesCache.get_inner_outer = classmethod(cached(method.__wrapped__))  # type: ignore[method-assign,assignment]


@lru_cache(1 << 16)
def _cells_of(line: str, tab: int) -> int:
    return cell_len(line.expandtabs(tab))


def measure_long_texts_quickly() -> None:
    """Measure each line of a text area once: Textual measures all of them at each key and for each row."""

    def size(document: Document, tab: int) -> Size:
        lines = document.lines
        return Size(max((_cells_of(line, tab) for line in lines), default=0), len(lines))

    Document.get_size = size  # type: ignore[method-assign,assignment]
    WrappedDocument.height = property(lambda self: len(self._offset_to_line_info))  # type: ignore[method-assign,assignment]


def remove_closed_watchers(watched: DOMNode) -> None:
    """Drop watchers that were closed: Textual keeps each until the value that it watched changes."""
    for watchers in getattr(watched, "__watchers", {}).values():
        watchers[:] = [each for each in watchers if not each[0]._closing]  # noqa: SLF001


def palette_is_closing(app: App[Any]) -> bool:
    """Say whether a command palette is being closed; one that stopped without being removed is removed."""
    if isinstance(app.screen, CommandPalette):
        return False
    closing = [each for each in app._nodes if isinstance(each, CommandPalette)]  # noqa: SLF001  no public list
    for each in closing:
        if not each.is_running:
            app._nodes._remove(each)  # noqa: SLF001  as Textual does itself
    return any(each.is_running for each in closing)


def write_to_terminal(app: App[Any], sequence: str) -> None:
    """Write an escape sequence past the screen: Textual has no public call for titles and graphics."""
    if app._driver is not None:  # noqa: SLF001
        app._driver.write(sequence)  # noqa: SLF001
        app._driver.flush()  # noqa: SLF001


def current_message_pump() -> object:
    """Return the node whose message is being handled: an exception does not name it."""
    return active_message_pump.get(None)


def node_bindings(node: DOMNode) -> list[Binding]:
    """Return the bindings that a node declares: there is no public list of them."""
    return [each for held in node._bindings.key_to_bindings.values() for each in held]  # noqa: SLF001


def forget_arrangement(widget: Widget) -> None:
    """Measure a container anew when it is next displayed: its content changed while it was hidden."""
    widget._clear_arrangement_cache()  # noqa: SLF001


def set_styles_cache(widget: Widget, cache: StylesCache) -> None:
    """Have a widget keep its drawn lines in another cache."""
    widget._styles_cache = cache  # noqa: SLF001


def update_height(widget: Static, words: Content) -> None:
    """Show text, and lay out the whole screen, which is slow, only where its lines are more or fewer.

    Textual keeps the height that it took while another layout was due, such as during a resize.
    """
    width, height = widget.content_size
    said = bool(words.plain)
    changed = height != (words.get_height(widget.styles.get_rules(), width) if said and width else said)
    widget._layout_updates += changed  # noqa: SLF001
    widget.update(words, layout=changed)


def paint_at_once(widget: Widget) -> None:
    """Paint what is new in a widget now rather than with the next frame, up to 17 ms later."""
    if widget._repaint_required:  # noqa: SLF001
        widget._repaint_required = False  # noqa: SLF001
        widget.screen._dirty_widgets.add(widget)  # noqa: SLF001
        widget.screen._on_timer_update()  # noqa: SLF001


def set_border_title(widget: Widget, title: Content, *, below: bool = False) -> None:
    """Set the title or subtitle of a border; Textual's own setter redraws all of the widget."""
    known = widget._border_subtitle if below else widget._border_title  # noqa: SLF001
    if known is not None and known.is_same(title):
        return
    if below:
        widget._border_subtitle = title  # noqa: SLF001
    else:
        widget._border_title = title  # noqa: SLF001
    width, height = widget.outer_size
    line = Region(0, height - 1 if below else 0, width, 1)
    widget.refresh(line.translate(-widget.content_offset))


class IdleCollector:
    """Runs the garbage collector while no key is pressed: closed screens are reference cycles."""

    def __init__(self, key_guard: KeyGuard, now: float) -> None:
        self._key_guard = key_guard
        self._last = now

    def check(self, now: float) -> bool:
        """Collect where no key was pressed just now; say whether all of it was."""
        due = now - self._last >= COLLECT_SECONDS and self._key_guard.idle(now, IDLE_SECONDS)
        if due:
            self._last = now
            gc.collect()
        elif self._key_guard.idle(now, PAUSE_SECONDS):
            gc.collect(0)
        return due
