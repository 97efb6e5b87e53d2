"""The client for programs without an event loop: the same methods, each of which waits for its answer.

with SyncClient() as client:
    case = client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON))
    print(case.status, case.assessment.risk)
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.client.client import Client

P = ParamSpec("P")
T = TypeVar("T")


def _waiting(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncClient, P], T]:
    """Return the method that waits for what an asynchronous one answers."""

    def call(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(method(self.client, *args, **kwargs))

    call.__doc__ = method.__doc__
    return call


def _reading(
    method: Callable[Concatenate[Client, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[SyncClient, P], Generator[T, None, None]]:
    """Return the method that yields what an asynchronous one yields. Closing it closes the stream."""

    def call(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        stream = method(self.client, *args, **kwargs)
        try:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    yield self.run(_next(stream))
        finally:
            self.run(stream.aclose())

    call.__doc__ = method.__doc__
    return call


async def _next(stream: AsyncGenerator[T, None]) -> T:
    return await anext(stream)


class SyncClient:
    """Speaks to the engine. Every method raises `Problem` where the answer is no; one thread at a time."""

    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
        key: Ed25519PrivateKey | None = None,
    ) -> None:
        self._runner = asyncio.Runner()
        self.client = Client(where, requester, token=token, verify=verify, key=key)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work on the client's own event loop."""
        return self._runner.run(work)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return any further method of the asynchronous client, without its types."""
        method = getattr(Client, name, None)
        if not inspect.iscoroutinefunction(method):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return _waiting(method).__get__(self)  # type: ignore[no-any-return]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self.run(self.client.close())
        self._runner.close()

    health = _waiting(Client.health)
    submit = _waiting(Client.submit)
    withdraw = _waiting(Client.withdraw)
    queue = _waiting(Client.queue)
    case = _waiting(Client.case)
    decide = _waiting(Client.decide)
    claim = _waiting(Client.claim)
    release = _waiting(Client.release)
    consequences = _waiting(Client.consequences)
    create_pre_approval = _waiting(Client.create_pre_approval)
    pre_approvals = _waiting(Client.pre_approvals)
    revoke_pre_approval = _waiting(Client.revoke_pre_approval)
    nearest = _waiting(Client.nearest)
    secrets = _waiting(Client.secrets)
    set_secret = _waiting(Client.set_secret)
    remove_secret = _waiting(Client.remove_secret)
    tokens = _waiting(Client.tokens)
    create_token = _waiting(Client.create_token)
    revoke_token = _waiting(Client.revoke_token)
    analyse = _waiting(Client.analyse)
    events = _reading(Client.events)
    follow = _reading(Client.follow)
    output = _reading(Client.output)
    meters = _reading(Client.meters)
    files = _waiting(Client.files)
    artifact = _waiting(Client.artifact)
    stop = _waiting(Client.stop)
    kill = _waiting(Client.kill)
    pause = _waiting(Client.pause)
    resume = _waiting(Client.resume)
    history = _waiting(Client.history)
    trail = _waiting(Client.trail)
    verify = _waiting(Client.verify)
    verifying = _reading(Client.verifying)
    facets = _waiting(Client.facets)
    help_with = _waiting(Client.help_with)
    trends = _waiting(Client.trends)
    exported = _waiting(Client.exported)
    case_file = _waiting(Client.case_file)
    shut_down = _waiting(Client.shut_down)
    create_session = _waiting(Client.create_session)
    sessions = _waiting(Client.sessions)
    session = _waiting(Client.session)
    close_session = _waiting(Client.close_session)
    execute = _reading(Client.execute)
    install = _reading(Client.install)
    list_files = _waiting(Client.list_files)
    read_file = _waiting(Client.read_file)
    write_file = _waiting(Client.write_file)
    remove_file = _waiting(Client.remove_file)
