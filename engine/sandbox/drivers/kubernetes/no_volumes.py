"""Packages need volumes that many sandboxes read, which this driver does not have: each call says so."""

from __future__ import annotations

from typing import NoReturn

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.volumes import PackageLayer
from engine.settings import PackageSettings


def _refuse() -> NoReturn:
    raise SandboxUnavailable(
        "packages cannot be installed in sandboxes on Kubernetes",
        "put them into an image, and name it in sandbox.kubernetes.images",
    )


class NoVolumes:
    """Implements VolumeStore without a volume."""

    def layer_volume(self, key: str) -> str:
        """Refuse."""
        _refuse()

    def session_volume(self, session: str) -> str:
        """Refuse."""
        _refuse()

    async def ensure(self, volume: str, image: str) -> None:
        """Refuse."""
        _refuse()

    async def find(self, volume: str) -> PackageLayer | None:
        """Return nothing: there is no layer."""
        return None

    async def begin(self, volume: str, image: str) -> None:
        """Refuse."""
        _refuse()

    async def finish(self, volume: str, target: str, size: int, left_out: str) -> PackageLayer:
        """Refuse."""
        _refuse()

    async def discard(self, volume: str, tries: int = 1) -> bool:
        """Return that it is gone: there was none."""
        return True

    async def prune(self, settings: PackageSettings, used: set[str]) -> None:
        """Do nothing: there is none."""
