"""Copies the events that operators watch for from the history to the log, with chosen fields only."""

from __future__ import annotations

import asyncio
from typing import Any

from engine.common import log
from engine.models import Event
from engine.sandbox import Backend

FIELDS: dict[str, tuple[str, ...]] = {
    "engine.recovered": (),
    "policy.loaded": ("policy",),
    "settings.changed": (),
    "sandbox.probed": ("isolated",),
    "secret.set": ("name", "host"),
    "secret.removed": ("name", "host"),
    "principal.added": ("name", "scopes"),
    "principal.removed": ("token",),
    "witness.reached": ("witness",),
    "history.erased": (),
}
"""The types of events that are logged as information, with the fields that are copied."""
WARNINGS: dict[str, tuple[str, ...]] = {
    "policy.refused": ("faults",),
    "submission.throttled": ("reason", "retry_after"),
    "witness.failed": ("witness", "why"),
    "run.refused": ("changed",),
}
"""The types of events that are logged as warnings, with the fields that are copied."""
CHECK_SECONDS = 5.0


def log_event(event: Event) -> None:
    """Log an event of the history if operators watch for its type."""
    write = log.info if event.type in FIELDS else log.warning
    fields = FIELDS.get(event.type, WARNINGS.get(event.type))
    if fields is None:
        return
    copied = {name: _text(event.data[name]) for name in fields if name in event.data}
    write(event.type, actor=event.actor, subject=event.subject, **copied)


async def log_backend(backend: Backend) -> None:
    """Log that the sandbox backend is lost or back, until cancelled."""
    lost = False
    while True:
        trouble = backend.trouble
        if trouble and not lost:
            log.warning("backend.lost", reason=str(trouble))
        elif lost and not trouble:
            log.info("backend.recovered")
        lost = trouble is not None
        await asyncio.sleep(CHECK_SECONDS)


def _text(value: Any) -> log.Value:
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return value if isinstance(value, (int, float, bool)) else str(value)
