"""The bounds of a process that reads what a guest made."""

from __future__ import annotations

import resource


def bound(memory: int, seconds: int) -> None:
    """Bound this process: bytes of memory, seconds of CPU, and no file that it could write."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
