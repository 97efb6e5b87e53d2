"""The event loop of the client for programs without one; Python 3.10 has no runner of its own yet."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from asyncio import Runner
else:
    import asyncio
    from collections.abc import Coroutine
    from typing import Any, TypeVar

    _T = TypeVar("_T")

    class Runner:
        """Runs coroutines one after another on one event loop."""

        def __init__(self) -> None:
            self._loop = asyncio.new_event_loop()

        def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
            """Return the result of a coroutine; where it is interrupted, it is cancelled first."""
            task = self._loop.create_task(coroutine)
            try:
                return self._loop.run_until_complete(task)
            except BaseException:
                task.cancel()
                self._loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
                raise

        def close(self) -> None:
            """End what is left of generators, and the loop."""
            if not self._loop.is_closed():
                self._loop.run_until_complete(self._loop.shutdown_asyncgens())
                self._loop.close()


__all__ = ["Runner"]
