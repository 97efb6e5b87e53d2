"""Who made a container, and whether that engine still lives."""

from __future__ import annotations

import os
import time
from pathlib import Path

from engine.sandbox.drivers.docker.container_spec import Ownership

LIFETIME_SECONDS = 3600
"""No sandbox of any engine is older."""
_MAKING_SECONDS = 120
"""How long a sandbox may take to reach the run that it is for."""


def here(engine: str) -> Ownership:
    """Return the ownership of this very process."""
    return Ownership(engine=engine, machine=machine(), process=process(os.getpid()))


def machine() -> str:
    """Name this boot of the kernel and this process namespace: where process numbers mean something."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    namespace = Path("/proc/self/ns/pid")
    try:
        return f"{boot.read_text().strip()}/{namespace.stat().st_ino}"
    except OSError:
        return "unknown"


def process(pid: int, proc: Path = Path("/proc")) -> str:
    """Name a process by its number and its start, or return nothing where it does not live."""
    try:
        after_name = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if after_name[0] in "ZX" else f"{pid}/{after_name[19]}"


def orphaned(labels: dict[str, str], me: Ownership, now: float | None = None) -> bool:
    """Return whether a container of ours has no living owner. Foreign containers never are."""
    if labels.get("pratique") != "1":
        return False
    if labels.get("pratique.engine") == me.engine and labels.get("pratique.process") == me.process:
        return False
    if labels.get("pratique.machine") == me.machine != "unknown":
        owner = labels.get("pratique.process", "")
        number = owner.partition("/")[0]
        return not (number.isdecimal() and process(int(number)) == owner)
    return _age(labels, now) > LIFETIME_SECONDS


def forgotten(labels: dict[str, str], me: Ownership, now: float | None = None) -> bool:
    """Return whether a container that this engine made, and has no use for, was left over from trouble."""
    mine = labels.get("pratique.engine") == me.engine and labels.get("pratique.process") == me.process
    return mine and _age(labels, now) > _MAKING_SECONDS


def _age(labels: dict[str, str], now: float | None) -> float:
    created = labels.get("pratique.created", "0")
    return (now or time.time()) - (int(created) if created.isdecimal() else 0)
