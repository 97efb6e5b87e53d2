"""What a receiver has been told already, kept over a restart of the engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import ValidationError

from engine.common.local_files import read_file, write_private
from engine.models import FrozenModel

MOST_BYTES = 4 << 20


class Progress(FrozenModel):
    """How far a receiver is."""

    seq: int | None = None
    """The last event that was told, or passed over; None before the first."""
    told: tuple[str, ...] = ()
    """The notices about submissions that still wait."""


def read_progress(path: Path) -> Progress:
    """Return how far a receiver is; the beginning where that cannot be read."""
    try:
        return Progress.model_validate_json(read_file(path, MOST_BYTES, follow=False))
    except (OSError, ValidationError):
        return Progress()


async def write_progress(path: Path, progress: Progress) -> None:
    """Keep how far a receiver is. Raises OSError."""
    await asyncio.to_thread(write_private, path, progress.model_dump_json().encode())
