"""Recent reasons for a denial."""

from __future__ import annotations

import json
from pathlib import Path

from engine import locations
from engine.common.local_files import read_file, write_private

MOST_BYTES = 1 << 20
KEPT = 9
FIRST = (
    "requests more than its purpose needs",
    "reads secrets or the environment",
    "contacts a host that was not requested",
    "hides what it does",
)


def file() -> Path:
    """Return the file of the reasons."""
    return locations.state() / "console-reasons.json"


def load() -> list[str]:
    """Return the reasons, the latest first; defaults where there are none or they cannot be read."""
    try:
        said = json.loads(read_file(file(), MOST_BYTES))
    except (OSError, ValueError):
        return list(FIRST)
    return [each for each in said if isinstance(each, str)][:KEPT] if isinstance(said, list) else list(FIRST)


def remember(reason: str) -> None:
    """Put a reason first; a write error loses only this."""
    if not reason:
        return
    reasons = [reason, *(each for each in load() if each != reason)][:KEPT]
    try:
        write_private(file(), json.dumps(reasons, ensure_ascii=False).encode())
    except OSError:
        return
