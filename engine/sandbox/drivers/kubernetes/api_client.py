"""The API of Kubernetes, as far as sandboxes need it. Each call has a deadline; errors say what to type."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import aiohttp

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_errors import ClusterUnreachable, refusal
from engine.sandbox.drivers.kubernetes.channels import PROTOCOLS
from engine.sandbox.drivers.kubernetes.cluster_access import ClusterAccess, cluster_access
from engine.sandbox.drivers.kubernetes.patience import PATIENCE_SECONDS, patiently
from engine.sandbox.drivers.kubernetes.pod_stream import PodStream
from engine.settings import KubernetesSettings

_MOST_MESSAGE = 4 << 20
_MOST_EVENT = 1 << 20
_MERGE = "application/merge-patch+json"
_READY_SECONDS = 2.5
_CUT = frozenset({errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE})


class ApiClient:
    """The API server of one cluster, in one namespace."""

    def __init__(self, settings: KubernetesSettings, deadline: float) -> None:
        self.namespace = settings.namespace
        self.deadline = deadline
        self._settings = settings
        self._access: ClusterAccess | None = None
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def path(self, kind: str, name: str = "", part: str = "") -> str:
        """Return the path of objects of the namespace, of one of them, or of a part of it."""
        group = "/apis/coordination.k8s.io/v1" if kind == "leases" else "/api/v1"
        return "/".join(filter(None, (f"{group}/namespaces/{self.namespace}/{kind}", name, part)))

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        deadline: float | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> dict[str, Any]:
        """Call the API and return its object. Raises ClusterUnreachable, ClusterRefusal.

        `deadline` is that of one attempt. For `patience` seconds it is attempted again while its failure may
        pass: objects have names, so an attempt whose answer was lost does nothing twice.
        """
        headers = {"Content-Type": _MERGE if method == "PATCH" else "application/json"}
        data = None if body is None else json.dumps(body).encode()
        call = partial(self._answer, method, path, data, query, headers, deadline or self.deadline)
        return _object(await patiently(call, self._ready, patience))

    async def _answer(
        self,
        method: str,
        path: str,
        data: bytes | None,
        query: Mapping[str, str] | None,
        headers: Mapping[str, str],
        deadline: float,
    ) -> bytes:
        with _translated():
            async with asyncio.timeout(deadline):
                session, access = self._connected()
                async with session.request(
                    method,
                    access.server + path,
                    data=data,
                    params=query,
                    headers={**headers, **access.headers()},
                ) as answer:
                    content = await answer.read()
                    if answer.status >= 400:
                        raise refusal(answer.status, content)
                    return content

    async def _ready(self) -> bool:
        """Return whether the server says that it has read what it needs, its roles among it."""
        try:
            return await self._answer("GET", "/readyz", None, None, {}, _READY_SECONDS) == b"ok"
        except SandboxUnavailable:
            return False

    async def watch(
        self, path: str, query: Mapping[str, str], seconds: float
    ) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        """Yield what happens to objects, as type and object, for so many seconds at most.

        Raises ClusterUnreachable, ClusterRefusal.
        """
        asked = {**query, "watch": "1", "timeoutSeconds": str(max(1, int(seconds)))}
        limit = aiohttp.ClientTimeout(total=seconds + self.deadline, sock_connect=self.deadline)
        answer = await patiently(partial(self._events, path, asked, limit), self._ready, PATIENCE_SECONDS)
        with _translated():
            async with answer:
                async for line in answer.content:
                    event = _object(line)
                    yield str(event.get("type", "")), event.get("object") or {}

    async def _events(
        self, path: str, query: Mapping[str, str], limit: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        with _translated():
            session, access = self._connected()
            answer = await session.get(
                access.server + path, params=query, headers=access.headers(), timeout=limit
            )
            if answer.status >= 400:
                async with answer:
                    raise refusal(answer.status, await answer.read())
            return answer

    async def connect(
        self, pod: str, part: str, query: Sequence[tuple[str, str]], *, patience: float = PATIENCE_SECONDS
    ) -> PodStream:
        """Attach to a Pod (`attach`), or execute in it (`exec`).

        Raises ClusterUnreachable, ClusterRefusal, SandboxUnavailable.
        """
        socket = await patiently(partial(self._socket, pod, part, query), self._ready, patience)
        if socket.protocol not in PROTOCOLS:
            await socket.close()
            raise SandboxUnavailable("the API server speaks no known protocol for streams", "kubectl version")
        return PodStream(socket)

    async def _socket(
        self, pod: str, part: str, query: Sequence[tuple[str, str]]
    ) -> aiohttp.ClientWebSocketResponse:
        with _translated():
            async with asyncio.timeout(self.deadline):
                session, access = self._connected()
                return await session.ws_connect(
                    access.server + self.path("pods", pod, part),
                    params=[*query, ("stdin", "1"), ("stdout", "1"), ("stderr", "1")],
                    protocols=PROTOCOLS,
                    headers=access.headers(),
                    max_msg_size=_MOST_MESSAGE,
                )

    def _connected(self) -> tuple[aiohttp.ClientSession, ClusterAccess]:
        if self._access is None:
            settings = self._settings
            self._access = cluster_access(settings.kubeconfig, settings.context, os.environ)
        if self._session is None:
            connector = aiohttp.TCPConnector(ssl=self._access.context(), limit=0)
            limit = aiohttp.ClientTimeout(total=None, sock_connect=self.deadline)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=limit, read_bufsize=_MOST_EVENT
            )
        return self._session, self._access


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise ClusterUnreachable("its answer is not JSON") from None
    if not isinstance(found, dict):
        raise ClusterUnreachable("its answer is not an object")
    return found


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Translate what the client library raises."""
    try:
        yield
    except aiohttp.WSServerHandshakeError as error:
        raise refusal(error.status, str(error.message).encode()) from error
    except TimeoutError as error:
        raise ClusterUnreachable("not in time") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ClusterUnreachable(_first_line(error), passing=_is_cut(error)) from error


def _is_cut(error: Exception) -> bool:
    """Return whether a connection was refused or cut, as a server does that restarts."""
    ended = isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError)
    return ended or (isinstance(error, OSError) and error.errno in _CUT)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__
