"""Which engine created a container, and whether that engine is still running."""

from __future__ import annotations

import os
import time
from pathlib import Path

from engine.sandbox.drivers.docker.container_spec import Ownership

LIFETIME_SECONDS = 3600
"""No sandbox is ever older than this."""
_CREATION_SECONDS = 120
"""How long the creation of a sandbox may take."""


def current(engine: str) -> Ownership:
    """Return the ownership of this process."""
    return Ownership(engine=engine, machine=machine(), process=process(os.getpid()))


def machine() -> str:
    """Return an id of this boot and process namespace: process ids are only comparable within it."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    namespace = Path("/proc/self/ns/pid")
    try:
        return f"{boot.read_text().strip()}/{namespace.stat().st_ino}"
    except OSError:
        return "unknown"


def process(pid: int, proc: Path = Path("/proc")) -> str:
    """Return an id of a process by number and start time; empty if it is not running."""
    try:
        after_name = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if after_name[0] in "ZX" else f"{pid}/{after_name[19]}"


def orphaned(labels: dict[str, str], own: Ownership, now: float | None = None) -> bool:
    """Return whether a container of an engine has no running owner. Foreign containers never are."""
    if labels.get("pratique") != "1":
        return False
    if labels.get("pratique.engine") == own.engine and labels.get("pratique.process") == own.process:
        return False
    if labels.get("pratique.machine") == own.machine != "unknown":
        owner = labels.get("pratique.process", "")
        number = owner.partition("/")[0]
        return not (number.isdecimal() and process(int(number)) == owner)
    return _age(labels, now) > LIFETIME_SECONDS


def leaked(labels: dict[str, str], own: Ownership, now: float | None = None) -> bool:
    """Return whether a container of this engine was left over from a failed creation."""
    mine = labels.get("pratique.engine") == own.engine and labels.get("pratique.process") == own.process
    return mine and _age(labels, now) > _CREATION_SECONDS


def _age(labels: dict[str, str], now: float | None) -> float:
    created = labels.get("pratique.created", "0")
    return (now or time.time()) - (int(created) if created.isdecimal() else 0)
