"""A decoded picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pixels:
    """A small picture: three bytes for each pixel, line by line."""

    width: int
    height: int
    data: bytes
