"""Recent reasons for a denial."""

from __future__ import annotations

import json
from pathlib import Path

from engine import locations

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
        said = json.loads(file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return list(FIRST)
    return [each for each in said if isinstance(each, str)][:KEPT] if isinstance(said, list) else list(FIRST)


def remember(reason: str) -> None:
    """Put a reason first; a write error loses only this."""
    if not reason:
        return
    reasons = [reason, *(each for each in load() if each != reason)][:KEPT]
    try:
        fresh = file().with_suffix(".new")
        fresh.write_text(json.dumps(reasons, ensure_ascii=False), encoding="utf-8")
        fresh.replace(file())
    except OSError:
        return
