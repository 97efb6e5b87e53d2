"""Creates Pods and destroys them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.models import Language
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes import pod_spec, pod_status
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal
from engine.sandbox.drivers.kubernetes.image_catalog import ImageCatalog
from engine.sandbox.drivers.kubernetes.ownership import PodOwnership
from engine.sandbox.drivers.kubernetes.pod import SandboxPod
from engine.sandbox.drivers.kubernetes.pod_stream import PodStream
from engine.sandbox.drivers.kubernetes.pods import Pods
from engine.sandbox.guest_protocol.programs import task_limit
from engine.settings import KubernetesSettings

_ATTACH_TRIES = 4
_AGAIN_SECONDS = 0.25
_QUOTA_SECONDS = 1.0
"""How often a Pod that exceeds the quota is asked for again."""


@dataclass(slots=True)
class PodFactory:
    """Creates Pods for one engine."""

    client: ApiClient
    settings: KubernetesSettings
    images: ImageCatalog
    ownership: PodOwnership
    marks: frozenset[Language] = frozenset()
    """The languages whose lines are marked as they run."""
    active: set[str] = field(default_factory=set)
    """The Pods that this engine still uses."""
    over_quota: int = 0
    """How many Pods that are needed wait because the namespace's quota is used up."""
    pods: Pods = field(init=False)
    _starting: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.pods = Pods(self.client)
        self._starting = asyncio.Semaphore(self.settings.starting)

    async def create(self, spec: SandboxSpec) -> SandboxPod:
        """Create a Pod, and wait until its interpreter is ready. Raises SandboxUnavailable."""
        if spec.layers or spec.volumes:
            raise SandboxUnavailable("packages cannot be mounted into sandboxes on Kubernetes")
        manifest = await self._manifest(spec)
        name = manifest["metadata"]["name"]
        self.active.add(name)
        async with self._starting:
            try:
                await self._create(manifest, spec)
                return await self._start(manifest, spec)
            except BaseException:
                await asyncio.shield(self._discard(name))
                raise

    async def destroy(self, pod: SandboxPod) -> bool:
        """Destroy a Pod; what is left of it is removed by the reaper."""
        try:
            return await pod.destroy()
        finally:
            self.active.discard(pod.id)

    async def _discard(self, name: str) -> None:
        await self.pods.remove(name)
        self.active.discard(name)

    async def _manifest(self, spec: SandboxSpec) -> dict[str, Any]:
        request = pod_spec.PodRequest(
            name=f"sandbox-{secrets.token_hex(8)}",
            image=self.images.reference(spec.image_digest),
            interpreter=self.images.interpreter(spec),
            spec=spec,
            marked=spec.language in self.marks,
            owner=await self.ownership.claim(),
        )
        return pod_spec.manifest(request, self.settings)

    async def _create(self, manifest: dict[str, Any], spec: SandboxSpec) -> None:
        """Create a Pod; a needed one waits for as long as it may take to start until the quota allows it."""
        until = time.monotonic() + self.settings.start_seconds
        while not await self._allowed(manifest, last=spec.spare or time.monotonic() > until):
            with self._waiting_for_quota():
                await asyncio.sleep(_QUOTA_SECONDS)

    async def _allowed(self, manifest: dict[str, Any], *, last: bool) -> bool:
        """Create a Pod; return whether the quota allows it. Raises SandboxUnavailable."""
        try:
            await self.pods.create(manifest)
        except ClusterRefusal as error:
            if last or not error.over_quota:
                raise
            return False
        return True

    @contextlib.contextmanager
    def _waiting_for_quota(self) -> Iterator[None]:
        self.over_quota += 1
        try:
            yield
        finally:
            self.over_quota -= 1

    async def _start(self, manifest: dict[str, Any], spec: SandboxSpec) -> SandboxPod:
        name = manifest["metadata"]["name"]
        seen = await self._running(name)
        stream = await self._attach(name)
        own = task_limit(spec.language, spec.limits) - spec.limits.processes
        pod = SandboxPod(
            client=self.client,
            pods=self.pods,
            id=name,
            image_digest=spec.image_digest,
            limits=spec.limits,
            manifest=manifest,
            stream=stream,
            startup_tasks=1 if spec.late else 1 + own,
            runtime=self.settings.runtime_class,
        )
        try:
            pod.check(seen)
            await pod.wait_ready()
        except BaseException:
            pod.disconnect()
            raise
        return pod

    async def _running(self, name: str) -> dict[str, Any]:
        """Return the Pod once it runs. Raises SandboxUnavailable: it cannot start, or not in time."""
        pod = await self.pods.wait(name, _decided, self.settings.start_seconds)
        if pod is None:
            raise SandboxUnavailable("the sandbox was removed while it started", "kubectl get events")
        if pod_status.is_running(pod):
            return pod
        raise pod_status.start_failure(pod) or SandboxUnavailable(
            f"the sandbox does not start in time: {pod_status.hold_up(pod)}", f"kubectl describe pod {name}"
        )

    async def _attach(self, name: str) -> PodStream:
        """Attach to a Pod that runs; its node may need a moment to know it."""
        for attempt in range(_ATTACH_TRIES):
            try:
                return await self.client.connect(name, "attach", [("container", pod_spec.CONTAINER)])
            except ClusterRefusal as error:
                if error.passing or error.forbidden or attempt == _ATTACH_TRIES - 1:
                    raise
            await asyncio.sleep(_AGAIN_SECONDS)
        raise AssertionError  # the last attempt returns or raises


def _decided(pod: dict[str, Any] | None) -> bool:
    """Return whether it runs, or never will."""
    return pod is None or pod_status.is_running(pod) or pod_status.start_failure(pod) is not None
