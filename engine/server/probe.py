"""`python -m engine.server.probe`: asks the engine of this machine or Pod, for what supervises it.

readyz: whether it can run code. alive: whether it answers. drained: tells it to leave new runs to other
engines, and waits until it runs nothing, and nothing comes any more.
The exit code is 0 for yes; what is wrong is said on standard error.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable

import httpx

from engine import locations
from engine.common.socket_peer import listener_of

_SECONDS = 8.0
_DRAIN_SECONDS = 600.0
_AGAIN_SECONDS = 1.0
_QUIET_SECONDS = 6.0
"""So long nothing may run before an engine counts as drained: a Service leads to it for some seconds more."""
_RUNNING = re.compile(r"^pratique_engine_runs ([0-9.e+]+)$", re.MULTILINE)


def ready(client: httpx.Client) -> bool:
    """Return whether the engine can run code."""
    answer = client.get("/readyz")
    if answer.is_success:
        return True
    sys.stderr.write(f"{answer.text[:500]}\n")
    return False


def alive(client: httpx.Client) -> bool:
    """Return whether the engine answers, whatever it says."""
    return client.get("/readyz").status_code < 600


def running(metrics: str) -> int:
    """Return how many runs of this engine have not ended, by the text of the metrics."""
    found = _RUNNING.search(metrics)
    return int(float(found[1])) if found else 0


def _begin_to_drain() -> None:
    """Tell the process that listens at the engine's socket, if there is one that this one sees."""
    with contextlib.suppress(OSError):
        os.kill(listener_of(str(locations.socket())), signal.SIGUSR1)


def drained(client: httpx.Client, seconds: float = _DRAIN_SECONDS, quiet: float = _QUIET_SECONDS) -> bool:
    """Begin to drain, and wait until nothing has run for a while; return whether that was so in time."""
    _begin_to_drain()
    began = idle_since = time.monotonic()
    while (now := time.monotonic()) - idle_since < quiet:
        if running(client.get("/metrics").text):
            if now - began > seconds:
                sys.stderr.write("runs have not ended in time, and end as interrupted\n")
                return False
            idle_since = time.monotonic()
        time.sleep(min(_AGAIN_SECONDS, quiet / 4))
    return True


QUESTIONS: dict[str, Callable[[httpx.Client], bool]] = {"readyz": ready, "alive": alive, "drained": drained}


def main(arguments: list[str]) -> int:
    """Ask one question; return the exit code."""
    if len(arguments) != 1 or arguments[0] not in QUESTIONS:
        sys.stderr.write(f"Type: python -m engine.server.probe {'|'.join(QUESTIONS)}\n")
        return 2
    transport = httpx.HTTPTransport(uds=str(locations.socket()))
    try:
        with httpx.Client(transport=transport, base_url="http://localhost", timeout=_SECONDS) as client:
            return 0 if QUESTIONS[arguments[0]](client) else 1
    except httpx.HTTPError as error:
        sys.stderr.write(f"the engine does not answer: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
