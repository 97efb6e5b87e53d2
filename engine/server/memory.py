"""How the engine's process keeps its memory where it is, however long it serves."""

from __future__ import annotations

import ctypes
import gc

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt(3)."""
_LARGE = 128 * 1024
"""glibc raises this bound with what is freed, and keeps large buffers in its heaps from then on."""


def settle_allocator() -> None:
    """Let all threads share one heap, and give large buffers back. Before the first thread starts.

    With a heap for each thread, memory that one thread has freed is of no use to another, and a process of
    a dozen threads grows for days. Other C libraries than glibc have no such heaps.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)


def settle_collector() -> None:
    """Keep the collector off what was loaded: a full collection over it would hold up every answer.

    What is left is so little that full collections take milliseconds; they come often enough that requests
    that are over do not pile up among what is old.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 5)
