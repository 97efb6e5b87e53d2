"""What the package service requires of whatever stores volumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.settings import PackageSettings

TRIES = 40
"""How often the removal of a volume that is still in use is tried."""


@dataclass(frozen=True, slots=True)
class PackageLayer:
    """A volume with packages, and where their language looks for them."""

    volume: str
    target: str
    size: int = 0
    built: int = 0
    left_out: str = ""
    """Files of the packages that were not installed."""


class VolumeStore(Protocol):
    """The package volumes of one engine. Its methods raise SandboxUnavailable."""

    def layer_volume(self, key: str) -> str:
        """Return the name of the volume of a layer."""

    def session_volume(self, session: str) -> str:
        """Return the name of the volume for the packages of a session."""

    async def ensure(self, volume: str, image: str) -> None:
        """Create a volume if there is none."""

    async def find(self, volume: str) -> PackageLayer | None:
        """Return a layer that is complete."""

    async def begin(self, volume: str, image: str) -> None:
        """Create an empty volume that belongs to the guest's user; a leftover one is replaced."""

    async def finish(self, volume: str, target: str, size: int, left_out: str) -> PackageLayer:
        """Mark a layer as complete."""

    async def discard(self, volume: str, tries: int = 1) -> bool:
        """Remove a layer; return whether it is gone. One that is in use stays."""

    async def prune(self, settings: PackageSettings, used: set[str]) -> None:
        """Remove what is too old, too much, or left over; `used` stays."""
