"""Layers: Docker volumes with installed packages, kept by the hash of what is in them.

A layer is whole when a second, empty volume beside it says so; that one carries what is known about it.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from typing import Any

from docker.errors import APIError, NotFound

from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker.container import remove
from engine.sandbox.drivers.docker.docker_client import DockerClient
from engine.settings import PackageSettings

_TARGET = re.compile(r"/usr/local/lib/python3\.\d{1,2}/dist-packages|/node_modules")
_SITE = re.compile(r"(\S+) (\d{1,15})\s*")
_UNFINISHED_SECONDS = 3600
_DAY = 86400
_AGAIN_SECONDS = 0.25
TRIES = 40
"""How often a volume that is still in use is tried again."""


@dataclass(frozen=True, slots=True)
class PackageLayer:
    """A volume with packages, and where their language looks for them."""

    volume: str
    target: str
    size: int = 0
    built: int = 0


def build_report(said: bytes) -> tuple[str, int]:
    """Return where its language looks, and how large a layer is, as its builder says. Raises ValueError."""
    word = _SITE.fullmatch(said.decode("ascii", "replace"))
    if word is None or not _TARGET.fullmatch(word[1]):
        raise ValueError("the sandbox that installs packages did not say where")
    return word[1], int(word[2])


class LayerStore:
    """The layers of one engine."""

    def __init__(self, daemon: DockerClient, engine: str) -> None:
        self._daemon = daemon
        self._engine = engine

    def volume(self, key: str) -> str:
        """Return the name of the volume of a layer."""
        return f"pratique-layer-{self._engine}-{key[:32]}"

    def room(self, session: str) -> str:
        """Return the name of the volume for what is installed in a session."""
        return f"pratique-session-{self._engine}-{session}"

    async def ensure(self, volume: str, image: str) -> None:
        """Make a volume where there is none. Raises APIError, DaemonLost, SandboxUnavailable."""
        try:
            await self._daemon.call("inspect_volume", volume)
        except NotFound:
            await self.begin(volume, image)

    async def find(self, volume: str) -> PackageLayer | None:
        """Return a layer that is whole. Raises APIError, DaemonLost."""
        return next((layer for layer in await self.whole() if layer.volume == volume), None)

    async def whole(self) -> list[PackageLayer]:
        """Return the layers that are whole, the oldest first. Raises APIError, DaemonLost."""
        listed = await self._listed()
        names = {one["Name"] for one in listed}
        found = [_layer(one) for one in listed if "pratique.target" in one["Labels"]]
        return sorted((one for one in found if one.volume in names), key=lambda one: one.built)

    async def begin(self, volume: str, image: str) -> None:
        """Make an empty volume that belongs to the guest's user.

        Raises APIError, DaemonLost, SandboxUnavailable.

        Docker gives a new volume the owner of the folder that an image has in its place: that needs a
        container, which never starts.
        """
        if not await self.discard(volume, TRIES):
            raise SandboxUnavailable("what was left of these packages cannot be removed", "pratique doctor")
        await self._daemon.call("create_volume", volume, labels=self._labels())
        mount = {"Type": "volume", "Source": volume, "Target": "/workspace"}
        body = {"Image": image, "NetworkDisabled": True, "HostConfig": {"Mounts": [mount]}}
        made = await self._daemon.call("create_container_from_config", body)
        await remove(self._daemon, made["Id"])

    async def finish(self, volume: str, target: str, size: int) -> PackageLayer:
        """Say that a layer is whole. Raises APIError, DaemonLost."""
        about = {"pratique.target": target, "pratique.size": str(size), "pratique.layer": volume}
        await self._daemon.call("create_volume", f"{volume}-whole", labels=self._labels() | about)
        return PackageLayer(volume, target, size, int(time.time()))

    async def discard(self, volume: str, tries: int = 1) -> bool:
        """Remove a layer, then what says that it is whole; say whether both are gone. Raises DaemonLost.

        One in use stays: the sandbox that filled it may still be going.
        """
        for attempt in range(tries):
            await asyncio.sleep(_AGAIN_SECONDS if attempt else 0)
            if await self._removed(volume) and await self._removed(f"{volume}-whole"):
                return True
        return False

    async def _removed(self, name: str) -> bool:
        try:
            await self._daemon.call("remove_volume", name)
        except APIError as error:
            return bool(error.status_code == 404)
        return True

    async def prune(self, settings: PackageSettings, used: set[str]) -> None:
        """Remove what is too old, too much, or left over; `used` stays. Raises APIError, DaemonLost."""
        now, kept, room = time.time(), set(used), settings.keep_megabytes << 20
        for layer in reversed(await self.whole()):
            room -= layer.size
            if room >= 0 and now - layer.built < settings.keep_days * _DAY:
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
        answer = await self._daemon.call("volumes", filters={"label": f"pratique.engine={self._engine}"})
        return answer["Volumes"] or []


def _layer(listed: dict[str, Any]) -> PackageLayer:
    labels = listed["Labels"]
    return PackageLayer(
        labels["pratique.layer"],
        labels["pratique.target"],
        int(labels["pratique.size"]),
        int(labels["pratique.created"]),
    )
