"""Comments and reasons that a reviewer has typed and not sent, saved while they are typed."""

from __future__ import annotations

import re
import time
from pathlib import Path

from pydantic import Field, ValidationError

from engine import locations
from engine.common.local_files import private_folder, read_file, write_private
from engine.models import FrozenModel, LineComment

MOST_BYTES = 1 << 23
KEPT_SECONDS = 30 * 86_400
"""What was not touched for longer is forgotten."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SavedTexts(FrozenModel):
    """Everything that is written about one submission, and not sent."""

    comments: tuple[LineComment, ...] = ()
    general: str = ""
    typed: str = Field("", description="the comment in the input")
    reason: str = Field("", description="the reason of a denial")


def folder() -> Path:
    """Return the folder of the texts: a file for each submission."""
    return locations.state() / "unsent-texts"


def load(id: str) -> SavedTexts:
    """Return what was typed about a submission; nothing where there is none, or it cannot be read."""
    try:
        return SavedTexts.model_validate_json(read_file(_path(id), MOST_BYTES, follow=False))
    except (OSError, ValueError, ValidationError):
        return SavedTexts()


def save(id: str, texts: SavedTexts) -> None:
    """Save what was typed about a submission; an error loses only this."""
    try:
        if texts == SavedTexts():
            _path(id).unlink(missing_ok=True)
        else:
            write_private(_path(id), texts.model_dump_json(ensure_ascii=True).encode())
    except (OSError, ValueError):
        return


def forget(id: str) -> None:
    """Forget what was typed about a submission."""
    save(id, SavedTexts())


def prune() -> None:
    """Forget what was typed long ago."""
    try:
        for path in private_folder(folder()).iterdir():
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink(missing_ok=True)
    except OSError:
        return


def _path(id: str) -> Path:
    if not _NAME.fullmatch(id):
        raise ValueError("no ID of a submission")
    return folder() / f"{id}.json"
