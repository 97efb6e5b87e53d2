"""The files and folders that an engine trusts: looked at before it starts, and by `pratique doctor`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine import locations
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.common.trusted_paths import Distrust, distrust
from engine.models import Check

MOST_LOOKED_AT = 2000
"""Entries of the folders of keys and agents that are looked at."""


def untrusted() -> Iterator[Distrust]:
    """Yield what an engine cannot trust, the gravest first."""
    state = locations.state()
    for path in (state, *_folders(state), locations.settings_file().parent):
        if wrong := distrust(path, private=False):
            yield wrong
    for path in (locations.settings_file(), locations.policy_file()):
        if wrong := distrust(path, private=False):
            yield wrong
    for path in _files(state):
        if wrong := distrust(path):
            yield wrong


def require_trusted() -> None:
    """Raise Problem where the state, the settings or the policy is not this user's alone."""
    wrong = next(untrusted(), None)
    if wrong:
        raise Problem(503, f"nothing starts: {wrong.reason}", hint=f"Type: {wrong.command}")


def trusted_check() -> Check:
    """Return the row of `pratique doctor`."""
    found = list(untrusted())
    if not found:
        return Check(name="files", ok=True, detail=Untrusted("state, settings and policy are yours alone"))
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    detail = Untrusted(f"{found[0].reason}{more}")
    return Check(name="files", ok=False, detail=detail, hint=f"Type: {found[0].command}")


def _folders(state: Path) -> tuple[Path, ...]:
    return (state / "keys", state / "agents", state / "inbox", state / "run")


def _files(state: Path) -> Iterator[Path]:
    """Yield the files that nobody else may read or write."""
    names = (
        "tokens.json",
        "secrets.json",
        "drills.json",
        "pratique.db",
        "pratique.db-wal",
        "pratique.key",
        "pratique.db.checkpoints",
    )
    yield from (state / name for name in names)
    for folder in (state / "keys", state / "agents"):
        try:
            with os.scandir(folder) as entries:
                yield from (
                    Path(entry.path) for entry, _ in zip(entries, range(MOST_LOOKED_AT), strict=False)
                )
        except OSError:
            continue
