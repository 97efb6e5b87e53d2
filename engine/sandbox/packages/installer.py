"""The installer of each language: its program, its arguments, and how its output is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.models import InputFile, Package
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings

LAYER = "/layer"
"""Where the sandbox that installs has what it fills."""


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The program of a sandbox that fetches packages, and what lies in its workspace."""

    program: bytes
    files: tuple[InputFile, ...]


class Installer(Protocol):
    """What installs the packages of one language."""

    target: str
    """Where the language looks for packages, and so where a layer is mounted."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return where packages come from. Raises SandboxUnavailable."""

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the order to find exact versions and hashes, dependencies included.

        Raises SandboxUnavailable: the installer is not on this machine.
        """

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the order to install what is locked, and nothing else.

        Only packages named in `builds` run code of their own. Raises SandboxUnavailable.
        """

    def found(self, said: bytes) -> tuple[Package, ...]:
        """Return the packages that a look-up found, dependencies included. Raises PackageLockError."""
