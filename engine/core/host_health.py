"""Rows of Health about the host: endpoints, disk and log; and what tells that rows cannot be had."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine import locations
from engine.common.supervisor import describe
from engine.common.text import Untrusted
from engine.core.health.certificate import certificate_check
from engine.models import Check
from engine.settings import ServerSettings

LEAST_FREE = 1 << 30
"""Bytes that have to be free where the state lies: below that events and output may soon not be kept."""
CHECK_SECONDS = 3.0
"""How long the checks of one part may take before their absence is told."""
LARGEST_LOG = 256 << 20
_TAIL_BYTES = 4096


async def checked(name: str, checks: Callable[[], Awaitable[tuple[Check, ...]]]) -> tuple[Check, ...]:
    """Return rows of Health, or one that says why there are none: Health itself never fails or hangs."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await checks()
    except TimeoutError:
        why, hint = f"no answer within {CHECK_SECONDS:g} s", ""
    except Exception as error:  # whatever is wrong, the other rows are shown
        why, hint = describe(error), str(getattr(error, "hint", ""))
    return (Check(name=name, ok=False, detail=Untrusted(why), hint=hint or "pratique doctor"),)


@dataclass(frozen=True)
class HostFiles:
    """Where the files of an engine are. They are found once: to look again would create what is missing."""

    state: Path = field(default_factory=locations.state)
    inbox: Path = field(default_factory=locations.inbox)


def host_checks(server: ServerSettings, files: HostFiles) -> tuple[Check, ...]:
    """Check the endpoints, the disk and the log of this engine."""
    return (*_endpoints(server, files), _disk(files.state), _log(files.state / "engine.log"))


def _endpoints(server: ServerSettings, files: HostFiles) -> tuple[Check, ...]:
    rows = []
    if server.listen:
        how = "tokens over TLS" if server.tls_certificate else "tokens, loopback only"
        rows.append(_row("endpoint: TCP", f"{server.listen}, {how}", ""))
    if server.listen and server.tls_certificate:
        rows.append(certificate_check(server.tls_certificate))
    if not server.inbox:
        return tuple(rows)
    inbox = files.inbox
    can_write = os.access(inbox, os.W_OK)
    return (*rows, _row("endpoint: inbox", str(inbox), "" if can_write else f"chmod u+rwx {inbox}"))


def _disk(state: Path) -> Check:
    free = shutil.disk_usage(state).free
    hint = "" if free >= LEAST_FREE else f"df -h {state}   (and free space)"
    return _row("disk", f"{_gib(free)} free at {state}", hint)


def _log(log: Path) -> Check:
    try:
        size, last = log.stat().st_size, _last_line(log)
    except OSError:
        return _row("engine log", "none: this engine writes to where it was started", "")
    hint = "" if size <= LARGEST_LOG else f"truncate --size 0 {log}"
    return _row("engine log", f"{log}, {size >> 10} KiB" + (f", last: {last}" if last else ""), hint)


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        lines = file.read().decode(errors="replace").strip().split("\n")
    return lines[-1][:200]


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"


def _row(name: str, detail: str, hint: str) -> Check:
    return Check(name=name, ok=not hint, detail=Untrusted(detail), hint=hint)
