"""The interface of a package installer of one language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.models import InputFile, Package
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings

LAYER = "/layer"
"""Where the volume to fill is mounted in the sandbox of an installer."""


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The program of a sandbox that fetches packages, and the files in its workspace."""

    program: bytes
    files: tuple[InputFile, ...]


class Installer(Protocol):
    """Installs the packages of one language."""

    target: str
    """Where the language looks for packages: a layer is mounted there."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return the registry to use. Raises SandboxUnavailable."""

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the request to look up exact versions and hashes, including dependencies.

        Raises SandboxUnavailable: the installer is not installed on this host.
        """

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the request to install the locked packages, and nothing else.

        Only packages named in `builds` may run their own code. Raises SandboxUnavailable.
        """

    def parse_found(self, report: bytes) -> tuple[Package, ...]:
        """Return the packages in the report of a look-up, including dependencies. Raises PackageLockError."""
