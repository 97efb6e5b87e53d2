"""Memory that Textual and the collector would keep: what was drawn of closed screens, and their cycles."""

from __future__ import annotations

import gc
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from textual._styles_cache import StylesCache

if TYPE_CHECKING:
    from console.safety.key_guard import KeyGuard

LOOK_SECONDS = 5.0
APART_SECONDS = 30.0
STILL_SECONDS = 0.3


def patch_textual() -> None:
    """Keep two colours by the class: by each instance, the cache holds on to a thousand with their lines."""
    method = StylesCache.__dict__["get_inner_outer"]
    if not isinstance(method, classmethod):
        cached: Any = lru_cache(1024)
        StylesCache.get_inner_outer = classmethod(cached(method.__wrapped__))  # type: ignore[method-assign,assignment]


class IdleCollector:
    """Collects what closed screens leave: by itself a full collection comes after hours, or amid a key."""

    def __init__(self, keys: KeyGuard, now: float) -> None:
        self._keys = keys
        self._last = now

    def look(self, now: float) -> bool:
        """Collect where no key was pressed just now, and not too often; say whether that was done."""
        due = now - self._last >= APART_SECONDS and self._keys.still(now, STILL_SECONDS)
        if due:
            self._last = now
            gc.collect()
        return due
