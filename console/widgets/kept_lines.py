"""Keeps the drawn lines of a widget by what is on them, so that lines that only move are not drawn again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from textual.color import Color
from textual.css.styles import StylesBase
from textual.geometry import Size, Spacing
from textual.strip import Strip
from textual.widget import Widget

from console.app.textual_patches import StylesCache, set_styles_cache

MOST = 1024


class KeptLines(StylesCache):
    """The lines of one widget, without and with its border, until its style or all of it changes."""

    def __init__(self, widget: Widget) -> None:
        self._inside: dict[Hashable, Strip] = {}
        self._framed: dict[int, tuple[Strip, Strip]] = {}
        super().__init__()
        set_styles_cache(widget, self)

    def clear(self) -> None:
        """Drop every line."""
        super().clear()
        self._inside.clear()
        self._framed.clear()

    def line(self, words: Hashable, draw: Callable[[], Strip]) -> Strip:
        """Return the line with these words on it; it is drawn where it is not known."""
        if (known := self._inside.get(words)) is None:
            if len(self._inside) >= MOST:
                self._inside.clear()
            known = self._inside[words] = draw()
        return known

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *rest: Any,
        **more: Any,
    ) -> Strip:
        """Return a line with its border, the same one for the same line inside."""

        def framed(draw: Callable[[int], Strip]) -> Strip:
            return super(KeptLines, self).render_line(
                styles, y, size, content_size, padding, base_background, background, draw, *rest, **more
            )

        at = y - styles.gutter.top
        if not 0 <= at < content_size.height:
            return framed(render_content_line)
        inside = render_content_line(at)
        if id(inside) not in self._framed:
            if len(self._framed) >= MOST:
                self._framed.clear()
            self._framed[id(inside)] = inside, framed(lambda _: inside)
        return self._framed[id(inside)][1]
