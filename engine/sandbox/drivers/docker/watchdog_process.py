"""Keeps the process that ends this engine's sandboxes should it die."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from engine.sandbox.drivers.docker import watchdog
from engine.sandbox.drivers.docker.container_spec import Ownership

_LOOK_SECONDS = 1.0


async def keep(owner: Ownership) -> None:
    """Keep a watchdog until cancelled, which ends it. Raises OSError: it cannot be started, or has ended.

    It has a session of its own: a signal to the engine's process group does not end it first.
    """
    command = (sys.executable, "-I", "-S", watchdog.__file__, owner.engine, owner.process)
    process = subprocess.Popen(  # noqa: ASYNC220  it is started at once, or a cancellation would lose it
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with process:
        try:
            while process.poll() is None:
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            process.kill()
    raise OSError(f"the watchdog ended with exit code {process.returncode}")
