"""What a backend runs, and who watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.models import Artifact, InputFile, Language, Limits, Meters, Operation, OutputChunk, Package
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest
from engine.sandbox.api.rehearsal import RehearsalStage
from engine.sandbox.api.run_events import RunEvent


@dataclass(frozen=True, slots=True)
class Job:
    """One run: the bytes to execute and what they may use."""

    run: str
    language: Language
    image_digest: str
    """The approved image."""
    code: bytes
    files: tuple[InputFile, ...]
    limits: Limits
    principal: str = ""
    """The requester: slots are shared out by principal."""
    session: str = ""
    """The session in whose sandbox it runs; empty: a sandbox of its own, used once."""
    operation: Operation | None = None
    """A tool call, instead of code."""
    network: NetworkSpec | None = None
    """The hosts it may reach; None: none."""
    packages: tuple[Package, ...] = ()
    """The packages installed for it."""
    builds: tuple[str, ...] = ()
    """Names of packages that may run their own code during installation."""
    volumes: tuple[tuple[str, str], ...] = ()
    """Volumes that it writes to, and where they are mounted."""
    stage: RehearsalStage | None = None
    """What surrounds a rehearsal; None: it is a run."""


class Watcher(Protocol):
    """Follows one run. What is awaited holds the run back."""

    async def permit(self, request: StartRequest) -> StartPermit:
        """Permit the code to start in this sandbox; any exception refuses, and the code never runs.

        A backend asks exactly once for each run, before the code can start.
        """

    async def output(self, chunk: OutputChunk) -> None:
        """Take bytes that the guest wrote; the guest is held back meanwhile."""

    def meters(self, sample: Meters) -> None:
        """Take one sample of the resources that the run uses."""

    async def event(self, event: RunEvent) -> None:
        """Record an event before the next step starts."""


class ArtifactKeeper(Protocol):
    """Stores the files that runs produce."""

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Store one file. Its name comes from the guest."""
