"""Pods by name: created, waited for, and removed until nothing of them is left."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal, ClusterUnreachable
from engine.sandbox.drivers.kubernetes.pod_spec import ENGINE_LABEL, MANAGED_LABEL, SPARE_LABEL

Pod = dict[str, Any]
_AGAIN_SECONDS = 0.2
_GONE_SECONDS = 20.0
_BACKGROUND = {"propagationPolicy": "Background"}


class Pods:
    """The Pods of a namespace."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client

    async def create(self, manifest: Pod) -> Pod:
        """Create a Pod. Raises SandboxUnavailable.

        Its name is new: one that is there already was made by an attempt whose answer was lost.
        """
        try:
            return await self._client.call("POST", self._client.path("pods"), manifest)
        except ClusterRefusal as error:
            if error.status != 409:
                raise
            return await self._client.call("GET", self._client.path("pods", manifest["metadata"]["name"]))

    async def get(self, name: str) -> Pod | None:
        """Return a Pod; None where there is none. Raises SandboxUnavailable."""
        try:
            return await self._client.call("GET", self._client.path("pods", name))
        except ClusterRefusal as error:
            if error.not_found:
                return None
            raise

    async def wait(self, name: str, holds: Callable[[Pod | None], bool], seconds: float) -> Pod | None:
        """Wait until something holds for a Pod, or for None once it is gone; return what was seen last.

        Raises SandboxUnavailable: the API server does not answer.
        """
        until = time.monotonic() + seconds
        while not holds(pod := await self.get(name)) and (left := until - time.monotonic()) > 0:
            version = pod["metadata"]["resourceVersion"] if pod else "0"
            found, seen = await self._watched(name, version, holds, left)
            if found:
                return seen
            await asyncio.sleep(min(_AGAIN_SECONDS, max(0.0, until - time.monotonic())))
        return pod

    async def _watched(
        self, name: str, version: str, holds: Callable[[Pod | None], bool], seconds: float
    ) -> tuple[bool, Pod | None]:
        """Return whether it held while a watch lasted, and for what."""
        query = {"fieldSelector": f"metadata.name={name}", "resourceVersion": version}
        events = self._client.watch(self._client.path("pods"), query, seconds)
        with contextlib.suppress(ClusterUnreachable, TimeoutError):
            async with contextlib.aclosing(events), asyncio.timeout(seconds):
                async for kind, pod in events:
                    if kind not in {"ADDED", "MODIFIED", "DELETED"}:
                        break
                    seen = None if kind == "DELETED" else pod
                    if holds(seen):
                        return True, seen
        return False, None

    async def remove(self, name: str) -> bool:
        """Remove a Pod; return whether nothing of it is left, not even a process."""
        try:
            await self._client.call("DELETE", self._client.path("pods", name), {"gracePeriodSeconds": 1})
            return await self.wait(name, lambda pod: pod is None, _GONE_SECONDS) is None
        except ClusterRefusal as error:
            return error.not_found
        except SandboxUnavailable:
            return False

    async def of_engine(self, engine: str) -> list[Pod]:
        """Return the Pods of an engine. Raises SandboxUnavailable."""
        query = {"labelSelector": f"{MANAGED_LABEL}=1,{ENGINE_LABEL}={engine}"}
        listed = await self._client.call("GET", self._client.path("pods"), query=query)
        return listed.get("items") or []

    async def needed(self) -> list[Pod]:
        """Return the Pods, of all engines, that are not spare and do not run yet.

        Raises SandboxUnavailable.
        """
        query = {
            "labelSelector": f"{MANAGED_LABEL}=1,{SPARE_LABEL}!=1",
            "fieldSelector": "status.phase=Pending",
        }
        listed = await self._client.call("GET", self._client.path("pods"), query=query)
        return listed.get("items") or []

    async def delete_all(self, engine: str) -> None:
        """Ask for the removal of all Pods of an engine. Raises SandboxUnavailable."""
        query = {"labelSelector": f"{MANAGED_LABEL}=1,{ENGINE_LABEL}={engine}"}
        body = {**_BACKGROUND, "gracePeriodSeconds": 1}
        await self._client.call("DELETE", self._client.path("pods"), body, query=query)
