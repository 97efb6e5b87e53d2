"""Docker's life, heard by asking."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import NamedTuple

from docker.errors import APIError

from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable, unavailable

_SECONDS = 5.0
_DEADLINE_SECONDS = 10.0


class Heartbeat(NamedTuple):
    """One beat, or that there was none."""

    number: int
    """The how manieth since Docker was last silent."""
    trouble: SandboxUnavailable | None = None


async def heartbeats(daemon: DockerClient) -> AsyncGenerator[Heartbeat, None]:
    """Yield for ever whether Docker lives."""
    number = 0
    while True:
        await asyncio.sleep(_SECONDS)
        trouble = await _no_answer(daemon)
        number = 0 if trouble else number + 1
        yield Heartbeat(number, trouble)


async def _no_answer(daemon: DockerClient) -> SandboxUnavailable | None:
    """Return what is wrong, or None. It is asked twice: a busy Docker may miss one beat."""
    try:
        with contextlib.suppress(DockerUnreachable):
            await daemon.call("ping", deadline=_DEADLINE_SECONDS)
            return None
        await daemon.call("ping", deadline=_DEADLINE_SECONDS)
    except (DockerUnreachable, APIError) as error:
        return unavailable(error)
    return None
