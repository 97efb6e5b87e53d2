"""Which engine owns a Pod, and whether that engine lives.

Each process of an engine has a ConfigMap that owns its Pods, and a Lease that it renews. Whoever sees a Lease
that nobody renews deletes both, and the cluster removes the Pods. Clocks are not compared: a Lease is stale
once this engine has seen it unchanged for its duration.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal
from engine.sandbox.drivers.kubernetes.pod_spec import ENGINE_LABEL, MANAGED_LABEL, PROCESS_LABEL, PodOwner

LEASE_SECONDS = 30
RENEW_SECONDS = 10.0
_RELEASE_SECONDS = 5.0
_STARTING_SECONDS = 120
"""How long an owner without a Lease may be one whose engine is only starting."""
_BACKGROUND = {"propagationPolicy": "Background"}
_SELECTOR = {"labelSelector": f"{MANAGED_LABEL}=1"}
_UNSAFE = re.compile(r"[^a-z0-9]+")


class PodOwnership:
    """The ConfigMap and the Lease of this process, and the search for those of dead ones."""

    def __init__(self, client: ApiClient, engine: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self.owner = PodOwner(label_of(engine), secrets.token_hex(4))
        self._name = f"pratique-{self.owner.engine[:40]}-{self.owner.process}"
        self._seen: dict[str, tuple[str, float]] = {}
        """When each Lease of another process was last seen to change, with what it said."""

    async def claim(self) -> PodOwner:
        """Return the owner of new Pods, with its ConfigMap and Lease. Raises SandboxUnavailable."""
        if not self.owner.config_map_uid:
            body = {"metadata": {"name": self._name, "labels": self.owner.labels()}}
            await self._create("leases", {**body, "spec": self._lease()})
            made = await self._create("configmaps", body)
            self.owner = PodOwner(self.owner.engine, self.owner.process, self._name, made["metadata"]["uid"])
        return self.owner

    async def renew(self) -> None:
        """Say that this process lives. Raises SandboxUnavailable.

        A Lease that is gone was taken for stale: its ConfigMap is created anew with it.
        """
        try:
            await self._client.call("PATCH", self._client.path("leases", self._name), {"spec": self._lease()})
        except ClusterRefusal as error:
            if not error.not_found:
                raise
            self.owner = PodOwner(self.owner.engine, self.owner.process)
            await self.claim()

    async def release(self) -> None:
        """Remove the Lease and the ConfigMap, and with it what is left of the Pods, if there is time."""
        with contextlib.suppress(SandboxUnavailable, TimeoutError):
            async with asyncio.timeout(_RELEASE_SECONDS):
                await self._remove(self._name)

    async def remove_predecessors(self) -> None:
        """Remove what earlier processes of this engine own: it has one process at a time.

        Raises SandboxUnavailable.
        """
        for listed in await self._listed("configmaps"):
            labels = listed["metadata"].get("labels", {})
            if (
                labels.get(ENGINE_LABEL) == self.owner.engine
                and labels.get(PROCESS_LABEL) != self.owner.process
            ):
                await self._remove(listed["metadata"]["name"])

    async def remove_stale(self) -> tuple[str, ...]:
        """Remove what no living process owns; return the names. Raises SandboxUnavailable."""
        leases = {one["metadata"]["name"]: one.get("spec") or {} for one in await self._listed("leases")}
        self._seen = {name: seen for name, seen in self._seen.items() if name in leases}
        stale = [name for name, spec in leases.items() if name != self._name and self._is_stale(name, spec)]
        for listed in await self._listed("configmaps"):
            name = listed["metadata"]["name"]
            if name not in leases and name != self._name and _age(listed) > _STARTING_SECONDS:
                stale.append(name)
        for name in stale:
            await self._remove(name)
        return tuple(stale)

    def _is_stale(self, name: str, spec: dict[str, Any]) -> bool:
        said, now = str(spec.get("renewTime", "")), self._clock()
        before, since = self._seen.setdefault(name, (said, now))
        if said != before:
            self._seen[name] = said, now
            return False
        duration = spec.get("leaseDurationSeconds")
        return now - since > (duration if isinstance(duration, int) else LEASE_SECONDS)

    def _lease(self) -> dict[str, Any]:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {"holderIdentity": self.owner.process, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": now}

    async def _create(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._client.call("POST", self._client.path(kind), body)
        except ClusterRefusal as error:
            if error.status != 409:
                raise
            return await self._client.call("GET", self._client.path(kind, self._name))

    async def _remove(self, name: str) -> None:
        for kind in ("configmaps", "leases"):
            try:
                await self._client.call("DELETE", self._client.path(kind, name), _BACKGROUND)
            except ClusterRefusal as error:
                if not error.not_found:
                    raise

    async def _listed(self, kind: str) -> list[dict[str, Any]]:
        answer = await self._client.call("GET", self._client.path(kind), query=_SELECTOR)
        return answer.get("items") or []


def label_of(engine: str) -> str:
    """Return an engine's id as the value of a label that is also part of a name."""
    return _UNSAFE.sub("-", engine.lower())[:60].strip("-") or "engine"


def _age(listed: dict[str, Any]) -> float:
    """Return how old an object is by the clocks of both sides, in seconds; 0 where that cannot be read."""
    try:
        created = datetime.fromisoformat(str(listed["metadata"]["creationTimestamp"]))
    except (KeyError, ValueError):
        return 0.0
    return (datetime.now(UTC) - created).total_seconds()
