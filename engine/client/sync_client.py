"""The client for programs without an event loop: the methods of `Client`, each waits for its result.

with SyncClient() as client:
    case = client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON))
    print(case.status, case.assessment.risk)
"""

from __future__ import annotations

import contextlib
import inspect
import ssl
from collections.abc import AsyncGenerator, Callable, Generator
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import Self

from engine.client.client import Client
from engine.client.event_loop import Runner

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

T = TypeVar("T")


class SyncPart:
    """The methods of one part of the client, as functions that wait."""

    def __init__(self, part: object, runner: Runner) -> None:
        self._part = part
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        """Return a method that waits, or a part of the client."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        value = getattr(self._part, name)
        return self._waiting(value) if callable(value) else SyncPart(value, self._runner)

    def _waiting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            if inspect.iscoroutine(result):
                return self._runner.run(result)
            return self._items(result) if isinstance(result, AsyncGenerator) else result

        return call

    def _items(self, stream: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        """Yield the items of a stream. Closing the generator closes the stream."""
        try:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    yield self._runner.run(_next(stream))
        finally:
            self._runner.run(stream.aclose())


async def _next(stream: AsyncGenerator[T, None]) -> T:
    return await anext(stream)


class SyncClient:
    """The client of an engine for one thread; its types are in `sync_client.pyi`, made from `Client`."""

    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
        key: Ed25519PrivateKey | None = None,
    ) -> None:
        self._runner = Runner()
        self._client = SyncPart(Client(where, requester, token=token, verify=verify, key=key), self._runner)

    def __getattr__(self, name: str) -> Any:
        """Return a method that waits, or a part of the client."""
        return getattr(self._client, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._runner.close()
