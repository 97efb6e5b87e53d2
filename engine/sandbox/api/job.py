"""What goes into the sandbox room, and who watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from engine.models import Artifact, InputFile, Language, Limits, Meters, Operation, OutputChunk, Package
from engine.sandbox.api.network_spec import NetworkSpec


@dataclass(frozen=True, slots=True)
class Job:
    """One run: the bytes to execute and what they may use."""

    run: str
    language: Language
    image: str
    """What Docker knows the image by."""
    code: bytes
    files: tuple[InputFile, ...]
    limits: Limits
    principal: str = ""
    """Whose turn it is: turns are shared out by principal."""
    session: str = ""
    """The sandbox that stays, in which it is done; empty: one of its own, used once."""
    operation: Operation | None = None
    """A tool call, in place of code."""
    network: NetworkSpec | None = None
    """What it may reach; None: nothing."""
    packages: tuple[Package, ...] = ()
    """What is installed for it."""
    builds: tuple[str, ...] = ()
    """Names of packages that may run code of their own while they are installed."""
    image_digest: str = ""
    """The image that was approved; empty: whatever its name stands for."""
    makes: tuple[tuple[str, str], ...] = ()
    """Docker volumes that it fills, and where they are mounted."""


class Watcher(Protocol):
    """Who follows one run. What is awaited holds the run back."""

    async def output(self, chunk: OutputChunk) -> None:
        """Take bytes that the guest wrote; the guest is held back meanwhile."""

    def meters(self, sample: Meters) -> None:
        """Take one sample of what the run uses."""

    async def happened(self, type: str, data: dict[str, Any]) -> None:
        """Record what happened before the next step starts."""


class ArtifactKeeper(Protocol):
    """Who keeps the files that runs leave."""

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Keep one file. Its name is the guest's word."""


class SandboxUnavailable(Exception):
    """No sandbox can be had: the message says why, `hint` what to type."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
