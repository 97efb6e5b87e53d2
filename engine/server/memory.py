"""How the engine's process keeps its memory where it is, however long it serves."""

from __future__ import annotations

import asyncio
import ctypes
import gc

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt(3)."""
_LARGE = 128 * 1024
"""glibc raises this bound with what is freed, and keeps large buffers in its heaps from then on."""
COLLECT_SECONDS = 20.0


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

    What is left is so little that full collections take milliseconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 5)


async def collect_often() -> None:
    """Collect what is left of requests that are over, until cancelled.

    The collector itself waits until a quarter of what is old is new, and the memory grows by all that waits.
    """
    while True:
        await asyncio.sleep(COLLECT_SECONDS)
        gc.collect()
