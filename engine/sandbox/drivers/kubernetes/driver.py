"""The Kubernetes driver: one gVisor Pod for each sandbox."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.common.supervisor import Supervisor
from engine.models import Check, IsolationProof, Language
from engine.sandbox.api.driver import Sandbox, SandboxSpec
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal
from engine.sandbox.drivers.kubernetes.health import cluster_checks, rights_check
from engine.sandbox.drivers.kubernetes.image_catalog import ImageCatalog
from engine.sandbox.drivers.kubernetes.isolation_probe import probe
from engine.sandbox.drivers.kubernetes.no_volumes import NoVolumes
from engine.sandbox.drivers.kubernetes.ownership import RENEW_SECONDS, PodOwnership
from engine.sandbox.drivers.kubernetes.pod import SandboxPod
from engine.sandbox.drivers.kubernetes.pod_factory import PodFactory
from engine.sandbox.drivers.kubernetes.pod_status import is_unplaced
from engine.settings import KubernetesSettings

_CLOSE_SECONDS = 30.0
_GONE_SECONDS = 0.2
_LOOK_SECONDS = 2.0
"""How often it is looked for Pods that find no place; the removal of one takes about as long."""
_PING_SECONDS = 10.0


class KubernetesDriver:
    """Creates and removes the Pods of one engine. Their limits are fixed, and nothing pauses them."""

    live_resize = False
    mounts_packages = False

    def __init__(
        self,
        settings: KubernetesSettings,
        call_deadline_seconds: float,
        engine_id: str,
        marks: frozenset[Language] = frozenset(),
    ) -> None:
        self.runtime = settings.runtime_class
        self.volumes = NoVolumes()
        self.client = ApiClient(settings, call_deadline_seconds)
        self.images = ImageCatalog(settings)
        self.ownership = PodOwnership(self.client, engine_id)
        self.factory = PodFactory(self.client, settings, self.images, self.ownership, marks)
        self._digests: dict[str, str] = {}
        self._supervisor = Supervisor()

    @property
    def engine(self) -> str:
        """The value of the label that this engine's Pods have."""
        return self.ownership.owner.engine

    async def start(self) -> None:
        """Remove what dead engines left behind, and say that this one lives. Failures are noted."""
        with contextlib.suppress(SandboxUnavailable):
            await self.ownership.remove_predecessors()
        self._supervisor.start("lease", self._renew)

    async def close(self) -> None:
        """Give up the Lease, and disconnect."""
        await self._supervisor.close()
        if self.ownership.owner.config_map_uid:
            await self.ownership.release()
        await self.client.close()

    async def remove_all(self) -> None:
        """Remove every Pod of this engine, as far as the API server answers in time."""
        with contextlib.suppress(SandboxUnavailable, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                while await self.factory.pods.of_engine(self.engine):
                    await self.factory.pods.delete_all(self.engine)
                    await asyncio.sleep(_GONE_SECONDS)

    async def ping(self) -> None:
        """Check that the API server answers. It is asked twice: a busy one may miss one call."""
        with contextlib.suppress(SandboxUnavailable):
            await self._ask()
            return
        await self._ask()

    async def _ask(self) -> None:
        """Ask for the version. A server that forbids even that has not read its roles yet, and answers."""
        try:
            await self.client.call("GET", "/version", deadline=_PING_SECONDS, patience=0)
        except ClusterRefusal as error:
            if not error.forbidden:
                raise

    async def image_digest(self, image: str) -> str:
        """Return the digest that the settings name. Raises SandboxUnavailable."""
        self._digests[image] = self.images.digest(image)
        return self._digests[image]

    def known_image_digest(self, image: str) -> str | None:
        """Return the digest that was read before: settings do not change while the engine runs."""
        return self._digests.get(image)

    async def probe(self, images: Sequence[str]) -> IsolationProof:
        """Test isolation in a Pod of the first of these images that the settings name."""
        return await probe(self.factory, images)

    async def wait_full(self) -> None:
        """Return once a needed Pod, of any engine, fits on no node or, of this one, into no quota."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with contextlib.suppress(SandboxUnavailable):
                if self.factory.over_quota or any(map(is_unplaced, await self.factory.pods.needed())):
                    return

    async def create(self, spec: SandboxSpec) -> SandboxPod:
        """Create a Pod and wait until its interpreter is ready. Raises SandboxUnavailable."""
        return await self.factory.create(spec)

    async def destroy(self, sandbox: Sandbox) -> bool:
        """Remove a Pod; return whether it is gone."""
        assert isinstance(sandbox, SandboxPod)  # noqa: S101  it made it
        return await self.factory.destroy(sandbox)

    async def end_frozen(self) -> None:
        """Do nothing: no Pod is ever paused."""

    async def reap(self) -> None:
        """Remove what no living engine owns, and what outlived its removal. Raises SandboxUnavailable."""
        await self.ownership.remove_stale()
        for pod in await self.factory.pods.of_engine(self.engine):
            name = pod["metadata"]["name"]
            if name not in self.factory.active:
                await self.factory.pods.remove(name)

    async def checks(self, images: Sequence[str]) -> tuple[Check, ...]:
        """Return rows of Health about the cluster and images."""
        rows = await cluster_checks(self.client, self.images, images)
        return (*rows, *self._supervisor.checks("kubernetes tasks"))

    async def check_rights(self) -> Check:
        """Return whether the engine may do in its namespace what it must."""
        return await rights_check(self.client)

    async def _renew(self) -> None:
        while True:
            await self.ownership.claim()
            await self.ownership.renew()
            await asyncio.sleep(RENEW_SECONDS)
