"""Calls that are made again while an API server starts, or is busy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal, ClusterUnreachable

PATIENCE_SECONDS = 15.0
_FIRST_SECONDS, _MOST_SECONDS = 0.2, 1.0
_T = TypeVar("_T")


async def patiently(
    call: Callable[[], Awaitable[_T]], ready: Callable[[], Awaitable[bool]], seconds: float
) -> _T:
    """Return what a call returns that may be made twice; make it again while its failure may pass.

    A server that has just started forbids everything until it has read its roles. `ready` asks whether it
    has: what it still forbids then is a lack of rights. Raises ClusterRefusal, ClusterUnreachable: the last
    failure.
    """
    until, pause, settled = time.monotonic() + seconds, _FIRST_SECONDS, False
    while True:
        try:
            return await call()
        except (ClusterRefusal, ClusterUnreachable) as error:
            forbidden = isinstance(error, ClusterRefusal) and error.forbidden
            if time.monotonic() + pause > until or settled or not (forbidden or error.passing):
                raise
            settled = forbidden and await ready()
        await asyncio.sleep(pause)
        pause = min(_MOST_SECONDS, pause * 2)
