"""The engine's process has one heap, however many threads allocate."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_HEAPS = """
import ctypes, sys, threading
from engine.server.memory import settle_allocator
if sys.argv[1] == "settled":
    settle_allocator()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
together = threading.Barrier(8)
def allocate():
    together.wait()
    libc.malloc(1000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
out = libc.fdopen(1, b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fflush(ctypes.c_void_p(out))
"""


def _heaps(how: str) -> int:
    ended = subprocess.run(
        [sys.executable, "-c", _HEAPS, how], capture_output=True, text=True, timeout=60, check=True
    )
    return ended.stdout.count("<heap nr=")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="NOT TESTED: only glibc has heaps for threads")
def test_all_threads_share_one_heap() -> None:
    """Without the setting they do not."""
    assert (1, True) == (_heaps("settled"), _heaps("as it is") > 1)
