"""How full the pool of one image is."""

from __future__ import annotations

from typing import NamedTuple


class PoolStatus(NamedTuple):
    """How many sandboxes of an image are ready, and how many should be."""

    image: str
    ready: int
    wanted: int
