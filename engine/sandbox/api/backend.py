"""What the engine requires of a sandbox backend.

The logic of runs in `engine.sandbox.run` implements it over a `SandboxDriver` (`driver`), which is what a new
backend has to be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from engine.models import Check, IsolationProof, KillReason, Language, Package, Result, WorkspaceFile
from engine.models.snapshot import RunSnapshot
from engine.sandbox.api.capabilities import BackendCapabilities
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.pool_status import PoolStatus
from engine.settings import SandboxSettings


class SessionStore(Protocol):
    """The sessions that keep a sandbox between executions, by id."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the open sessions."""

    def has_state(self, session: str) -> bool:
        """Return whether a session has the state of earlier executions."""

    def reset(self, session: str) -> None:
        """Discard the state of a session; its next execution starts afresh."""

    def end(self, session: str) -> None:
        """End a session and remove its sandbox."""


class PackageSource(Protocol):
    """Looks packages up before they are granted."""

    @property
    def looks_up(self) -> bool:
        """Whether missing versions and hashes are looked up when a submission arrives."""

    async def look_up(
        self,
        packages: Sequence[Package],
        language: Language = Language.PYTHON,
        builds: Collection[str] = (),
        watcher: Watcher | None = None,
    ) -> tuple[Package, ...]:
        """Return exact versions and hashes of packages and their dependencies.

        Raises SandboxUnavailable.
        """


class Backend(Protocol):
    """Runs jobs, each in a sandbox of its own or in the sandbox of a session.

    Before the code of a job can start, `run` asks the watcher for a permit; without one it never starts.
    """

    keeper: ArtifactKeeper | None
    """Stores the files that runs produce."""

    @property
    def settings(self) -> SandboxSettings:
        """The settings it was created with."""

    @property
    def capabilities(self) -> BackendCapabilities:
        """What its sandboxes can do."""

    @property
    def proof(self) -> IsolationProof | None:
        """The proof that its sandboxes are isolated; without one nothing runs."""

    @property
    def trouble(self) -> SandboxUnavailable | None:
        """Why there is no proof."""

    @property
    def pool_status(self) -> tuple[PoolStatus, ...]:
        """How many sandboxes are ready, by image."""

    @property
    def sessions(self) -> SessionStore:
        """The open sessions."""

    @property
    def packages(self) -> PackageSource:
        """Where packages are looked up."""

    async def start(self) -> None:
        """Remove what dead engines left behind, and prove isolation. Failures are noted, not raised."""

    async def close(self) -> None:
        """End every run and remove every sandbox."""

    async def prove(self) -> IsolationProof:
        """Test isolation in a real sandbox. Raises SandboxUnavailable."""

    async def warm(self, images: Sequence[tuple[Language, str]]) -> None:
        """Keep sandboxes of these images ready from now on."""

    async def checks(self) -> tuple[Check, ...]:
        """Return its rows of Health."""

    async def image_digest(self, image: str) -> str:
        """Return the digest of an image name. Raises SandboxUnavailable."""

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job while a watcher follows its output, meters and events. Raises SandboxUnavailable."""

    async def stop(self, run: str, by: str) -> None:
        """Ask the program of a run to end; kill it after the grace period."""

    async def kill(self, run: str, by: str, reason: KillReason = KillReason.OPERATOR) -> None:
        """Kill a run at once."""

    async def pause(self, run: str) -> bool:
        """Pause a run; return whether it is paused."""

    async def resume(self, run: str) -> bool:
        """Resume a paused run; return whether it is running."""

    def is_running(self, run: str) -> bool:
        """Return whether the code of a run is running, so that its files can be read."""

    async def look(self, run: str) -> RunSnapshot:
        """Return what a running or paused run is doing, within a bounded time. Raises SandboxUnavailable."""

    async def guest_port(self, run: str, port: int, session: str = "") -> GuestPort:
        """Return a port of the loopback of a running run. Raises SandboxUnavailable.

        With the session of the run, it is reached for as long as that lives, also while nothing is executed.
        """

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a running run. Raises SandboxUnavailable."""

    async def file(self, run: str, name: str) -> bytes | None:
        """Return such a file, or None if there is none. Raises SandboxUnavailable."""
