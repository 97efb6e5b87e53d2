"""Orders to the first process of a session that run nothing: whether the others go on between executions."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Literal

from engine.models import Stream
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable

_SECONDS = 10.0


async def give_order(sandbox: Sandbox, order: Literal["wake", "rest"]) -> None:
    """Let every process of a session go on from now on, or stand still; nothing may be executed meanwhile.

    Raises SandboxUnavailable: it did not answer.
    """
    nonce = secrets.token_hex(16)
    try:
        async with asyncio.timeout(_SECONDS):
            await sandbox.send(f"{order} 0 0 0 0 0 {nonce}\n".encode())
            if await _answers(sandbox, f"\0{nonce}\n".encode()):
                return
    except (TimeoutError, ConnectionError):
        pass
    raise SandboxUnavailable("the session's sandbox does not answer, and its state is lost", "Run it again.")


async def _answers(sandbox: Sandbox, answer: bytes) -> bool:
    heard = b""
    async with contextlib.aclosing(sandbox.output()) as output:
        async for stream, data in output:
            heard = (heard + data)[-len(answer) :] if stream is Stream.STDOUT else heard
            if heard == answer:
                return True
    return False
