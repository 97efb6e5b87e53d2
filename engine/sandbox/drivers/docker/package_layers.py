"""Package layers: Docker volumes with installed packages, found by the hash of their content.

A layer is complete once a second, empty volume marks it; its labels describe the layer.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from docker.errors import APIError, NotFound

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.volumes import TRIES, PackageLayer
from engine.sandbox.drivers.docker.container import remove
from engine.sandbox.drivers.docker.docker_client import DockerClient, translated
from engine.settings import PackageSettings

_UNFINISHED_SECONDS = 3600
_DAY = 86400
_AGAIN_SECONDS = 0.25


class LayerStore:
    """The package volumes of one engine."""

    def __init__(self, client: DockerClient, engine: str) -> None:
        self._client = client
        self._engine = engine

    def layer_volume(self, key: str) -> str:
        """Return the name of the volume of a layer."""
        return f"pratique-layer-{self._engine}-{key[:32]}"

    def session_volume(self, session: str) -> str:
        """Return the name of the volume for the packages of a session."""
        return f"pratique-session-{self._engine}-{session}"

    async def ensure(self, volume: str, image: str) -> None:
        """Create a volume if there is none. Raises SandboxUnavailable."""
        with translated():
            try:
                await self._client.call("inspect_volume", volume)
            except NotFound:
                await self.begin(volume, image)

    async def find(self, volume: str) -> PackageLayer | None:
        """Return a layer that is complete. Raises SandboxUnavailable."""
        return next((layer for layer in await self.complete() if layer.volume == volume), None)

    async def complete(self) -> list[PackageLayer]:
        """Return the layers that are complete, the oldest first. Raises SandboxUnavailable."""
        listed = await self._listed()
        names = {one["Name"] for one in listed}
        found = [_layer(one) for one in listed if "pratique.target" in one["Labels"]]
        return sorted((one for one in found if one.volume in names), key=lambda one: one.built)

    async def begin(self, volume: str, image: str) -> None:
        """Create an empty volume that belongs to the guest's user. Raises SandboxUnavailable.

        Docker gives a new volume the owner of the folder that an image has in its place: that needs a
        container, which never starts.
        """
        if not await self.discard(volume, TRIES):
            raise SandboxUnavailable(
                "the leftover volume of these packages cannot be removed", "pratique doctor"
            )
        mount = {"Type": "volume", "Source": volume, "Target": "/workspace"}
        body = {"Image": image, "NetworkDisabled": True, "HostConfig": {"Mounts": [mount]}}
        with translated(image):
            await self._client.call("create_volume", volume, labels=self._labels())
            made = await self._client.call("create_container_from_config", body)
            await remove(self._client, made["Id"])

    async def finish(self, volume: str, target: str, size: int, left_out: str) -> PackageLayer:
        """Mark a layer as complete. Raises SandboxUnavailable."""
        about = {"pratique.target": target, "pratique.size": str(size), "pratique.layer": volume}
        about["pratique.left-out"] = left_out
        with translated():
            await self._client.call("create_volume", f"{volume}-whole", labels=self._labels() | about)
        return PackageLayer(volume, target, size, int(time.time()), left_out)

    async def discard(self, volume: str, tries: int = 1) -> bool:
        """Remove a layer, then its mark of completeness; return whether both are gone.

        One in use stays: the sandbox that filled it may still be running. Raises SandboxUnavailable.
        """
        for attempt in range(tries):
            await asyncio.sleep(_AGAIN_SECONDS if attempt else 0)
            if await self._removed(volume) and await self._removed(f"{volume}-whole"):
                return True
        return False

    async def _removed(self, name: str) -> bool:
        try:
            await self._client.call("remove_volume", name)
        except APIError as error:
            return bool(error.status_code == 404)
        return True

    async def prune(self, settings: PackageSettings, used: set[str]) -> None:
        """Remove what is too old, too much, or left over; `used` stays. Raises SandboxUnavailable."""
        now, kept, free = time.time(), set(used), settings.keep_megabytes << 20
        for layer in reversed(await self.complete()):
            free -= layer.size
            if free >= 0 and now - layer.built < settings.keep_days * _DAY:
                kept.add(layer.volume)
            else:
                await self.discard(layer.volume)
        for one in await self._listed():
            name = str(one["Name"]).removesuffix("-whole")
            if name not in kept and now - int(one["Labels"]["pratique.created"]) > _UNFINISHED_SECONDS:
                await self.discard(name)

    def _labels(self) -> dict[str, str]:
        return {"pratique": "1", "pratique.engine": self._engine, "pratique.created": str(int(time.time()))}

    async def _listed(self) -> list[dict[str, Any]]:
        filters = {"label": f"pratique.engine={self._engine}"}
        with translated():
            answer = await self._client.call("volumes", filters=filters)
        return answer["Volumes"] or []


def _layer(listed: dict[str, Any]) -> PackageLayer:
    labels = listed["Labels"]
    return PackageLayer(
        labels["pratique.layer"],
        labels["pratique.target"],
        int(labels["pratique.size"]),
        int(labels["pratique.created"]),
        labels.get("pratique.left-out", ""),
    )
