"""Changing a widget without drawing all of it anew, and without laying out the screen around it."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


def set_border_title(widget: Widget, words: Content, *, below: bool = False) -> None:
    """Put words in the border of a widget, above or below: Textual's own way draws all of the widget."""
    known = widget._border_subtitle if below else widget._border_title  # noqa: SLF001
    if known is not None and known.is_same(words):
        return
    if below:
        widget._border_subtitle = words  # noqa: SLF001
    else:
        widget._border_title = words  # noqa: SLF001
    width, height = widget.outer_size
    line = Region(0, height - 1 if below else 0, width, 1)
    widget.refresh(line.translate(-widget.content_offset))


def extend(view: ScrollView, size: Size) -> None:
    """Say how large a view is inside: the screen is laid out only where a scroll bar comes or goes."""
    if size == view.virtual_size:
        return
    barred = size.height > view.container_size.height or view.styles.overflow_y == "scroll"
    if size.width != view.virtual_size.width or barred != view.show_vertical_scrollbar:
        view.virtual_size = size
        return
    view.set_reactive(Widget.virtual_size, size)
    if barred:
        view.vertical_scrollbar.window_virtual_size = size.height
    if view.scroll_offset.y > view.max_scroll_y:
        view.scroll_to(y=view.max_scroll_y, animate=False)
