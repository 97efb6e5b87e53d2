"""Textual's cache of two colours, mended: it kept the drawn lines of a thousand widgets that were gone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from textual._styles_cache import StylesCache


def mend() -> None:
    """Keep the colours by the class: by each instance, the cache holds on to the instance and its lines."""
    method = StylesCache.__dict__["get_inner_outer"]
    if not isinstance(method, classmethod):
        cached: Any = lru_cache(1024)
        StylesCache.get_inner_outer = classmethod(cached(method.__wrapped__))  # type: ignore[method-assign,assignment]
