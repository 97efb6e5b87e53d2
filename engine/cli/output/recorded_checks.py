"""Has an engine that runs here record what the self-test or the doctor found."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.client.client import Client
from engine.common.errors import Problem

RECORD_SECONDS = 5.0


def record_checks(kind: str, total: int, failed: Sequence[str]) -> bool:
    """Return whether a running engine recorded the result; do not start one."""

    async def recorded() -> bool:
        with contextlib.suppress(Problem, TimeoutError):
            async with asyncio.timeout(RECORD_SECONDS), Client() as client:
                await client.history.record_checks(kind, total, failed)
                return True
        return False

    return asyncio.run(recorded())
