"""How many connections an endpoint holds, by the files that this process may open."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Check

OPEN_FILES = Path("/proc/self/fd")

LEAST_FILES = 256
"""Fewer open files than that do not suffice for the history, the sandboxes and a few clients."""
ENOUGH_FILES = 1024
WANTED_FILES = 65_536
SPARE_CONNECTIONS = 512
"""Connections beside those of the most concurrent requests."""
UNAUTHENTICATED = 256
UNAUTHENTICATED_EACH = 64


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections an endpoint holds; `fresh` are those without an authenticated request."""

    total: int
    each: int
    fresh: int
    fresh_each: int


def raise_open_files() -> int:
    """Raise the soft limit of open files as far as it goes, and return it.

    Raises:
        Problem: it is too low for an engine, and cannot be raised.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reachable = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < reachable:
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
    limit = open_files_limit()
    if limit < LEAST_FILES:
        raise Problem(
            503,
            f"too many open files: this process may open {limit} files, and the engine needs {LEAST_FILES}",
            hint=f"Type: ulimit -n 1024   (in a new shell; the hard limit here is {hard})",
        )
    return limit


def open_files_limit() -> int:
    """Return how many files this process may open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return WANTED_FILES if soft == resource.RLIM_INFINITY else soft


def open_files_check() -> Check:
    """Return the row of Health about open files."""
    limit, used = open_files_limit(), len(list(OPEN_FILES.iterdir())) if OPEN_FILES.is_dir() else 0
    few = limit < ENOUGH_FILES or used > limit * 3 // 4
    hint = f"ulimit -n {WANTED_FILES}   (then start the engine again)" if few else ""
    return Check(name="open files", ok=not few, detail=Untrusted(f"{used} of at most {limit}"), hint=hint)


def local_limits(max_requests: int) -> ConnectionLimits:
    """Return the limits of the socket: a third of the open files, all of them its owner's."""
    total = _total(max_requests)
    return ConnectionLimits(total, each=total, fresh=total, fresh_each=total)


def remote_limits(max_requests: int) -> ConnectionLimits:
    """Return the limits of the TCP address: a third of the open files, half of them for one address."""
    total = _total(max_requests)
    fresh = max(1, min(UNAUTHENTICATED, total // 2))
    return ConnectionLimits(
        total, each=max(1, total // 2), fresh=fresh, fresh_each=max(1, min(UNAUTHENTICATED_EACH, fresh // 2))
    )


def _total(max_requests: int) -> int:
    return max(1, min(open_files_limit() // 3, max_requests + SPARE_CONNECTIONS))
