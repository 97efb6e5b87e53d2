"""The API of Kubernetes, as far as sandboxes need it. Each call has a deadline; errors say what to type."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

import aiohttp

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_errors import ClusterUnreachable, refusal
from engine.sandbox.drivers.kubernetes.channels import PROTOCOLS
from engine.sandbox.drivers.kubernetes.cluster_access import ClusterAccess, cluster_access
from engine.sandbox.drivers.kubernetes.pod_stream import PodStream
from engine.settings import KubernetesSettings

_MOST_MESSAGE = 4 << 20
_MOST_EVENT = 1 << 20
_MERGE = "application/merge-patch+json"


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
    ) -> dict[str, Any]:
        """Call the API and return its object. Raises ClusterUnreachable, ClusterRefusal."""
        headers = {"Content-Type": _MERGE if method == "PATCH" else "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with _translated():
            async with asyncio.timeout(deadline or self.deadline):
                session, access = self._connected()
                async with session.request(
                    method, access.server + path, data=data, params=query, headers=headers | access.headers()
                ) as answer:
                    content = await answer.read()
                    if answer.status >= 400:
                        raise refusal(answer.status, content)
                    return _object(content)

    async def watch(
        self, path: str, query: Mapping[str, str], seconds: float
    ) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
        """Yield what happens to objects, as type and object, for so many seconds at most.

        Raises ClusterUnreachable, ClusterRefusal.
        """
        asked = {**query, "watch": "1", "timeoutSeconds": str(max(1, int(seconds)))}
        limit = aiohttp.ClientTimeout(total=seconds + self.deadline, sock_connect=self.deadline)
        with _translated():
            session, access = self._connected()
            async with session.get(
                access.server + path, params=asked, headers=access.headers(), timeout=limit
            ) as answer:
                if answer.status >= 400:
                    raise refusal(answer.status, await answer.read())
                async for line in answer.content:
                    event = _object(line)
                    yield str(event.get("type", "")), event.get("object") or {}

    async def connect(self, pod: str, part: str, query: Sequence[tuple[str, str]]) -> PodStream:
        """Attach to a Pod (`attach`), or execute in it (`exec`).

        Raises ClusterUnreachable, ClusterRefusal, SandboxUnavailable.
        """
        with _translated():
            async with asyncio.timeout(self.deadline):
                session, access = self._connected()
                socket = await session.ws_connect(
                    access.server + self.path("pods", pod, part),
                    params=[*query, ("stdin", "1"), ("stdout", "1"), ("stderr", "1")],
                    protocols=PROTOCOLS,
                    headers=access.headers(),
                    max_msg_size=_MOST_MESSAGE,
                )
        if socket.protocol not in PROTOCOLS:
            await socket.close()
            raise SandboxUnavailable("the API server speaks no known protocol for streams", "kubectl version")
        return PodStream(socket)

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
        raise ClusterUnreachable(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__
