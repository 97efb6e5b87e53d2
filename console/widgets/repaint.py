"""Resizes and scrolls the content of a view without laying out or drawing what is around it."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widget import Widget


def set_virtual_size(view: ScrollView, size: Size) -> None:
    """Set the size of a view's content; the screen is laid out only where a scroll bar appears or goes."""
    if size == view.virtual_size:
        return
    barred = size.height > view.container_size.height or view.styles.overflow_y == "scroll"
    if barred != view.show_vertical_scrollbar or not _as_wide(view, size.width):
        view.virtual_size = size
        return
    view.set_reactive(Widget.virtual_size, size)
    if view.show_horizontal_scrollbar:
        view.horizontal_scrollbar.window_virtual_size = size.width
    if barred:
        view.vertical_scrollbar.window_virtual_size = size.height
    if view.scroll_offset.y > view.max_scroll_y:
        view.scroll_to(y=view.max_scroll_y, animate=False)


def move_bar(view: ScrollView, position: float) -> None:
    """Tell the bar at the right where the view is; it is drawn only where its thumb is elsewhere then."""
    bar = view.vertical_scrollbar
    if _thumb(bar, bar.position) == _thumb(bar, position):
        bar.set_reactive(ScrollBar.position, position)


def _thumb(bar: ScrollBar, position: float) -> int:
    """Return where the thumb begins, in the steps in which a bar is drawn."""
    cells, behind = bar.size.height, bar.window_virtual_size - bar.window_size
    if behind <= 0:
        return 0
    thumb = max(1.0, bar.window_size * cells / bar.window_virtual_size)
    return int((cells - thumb) * position / behind * len(ScrollBarRender.VERTICAL_BARS))


def _as_wide(view: ScrollView, width: int) -> bool:
    """Return whether another width leaves the bar below as it is: there, or not."""
    if width == view.virtual_size.width:
        return True
    barred = width > view.size.width
    return view.styles.overflow_x == "auto" and barred is view.show_horizontal_scrollbar
