"""What the engine wants of whatever runs approved code, and what one such thing declares that it can do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

from engine.models import Check, IsolationProof, Language, Package, Permissions, Result, WorkspaceFile
from engine.sandbox.api.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.drivers.docker.pool import PoolStatus
from engine.settings import SandboxSettings


@dataclass(frozen=True, slots=True)
class BackendCapabilities:
    """What sandboxes of one kind can do. Whoever wants more is told so before anything starts."""

    languages: frozenset[Language] = frozenset()
    packages: frozenset[Language] = frozenset()
    """Languages that packages are installed for."""
    builds: bool = False
    """Whether packages may run code of their own as they are installed."""
    network: bool = False
    """Whether names of hosts can be granted, and nothing else be reached."""
    secrets: bool = False
    """Whether hosts are given secrets that the guest never sees."""
    sessions: bool = False
    """Whether sandboxes can stay between executions."""
    displays: bool = False
    """Whether pictures and tables that code shows come back as such."""
    pause: bool = False
    """Whether a run can be held where it stands."""
    live_resize: bool = False
    """Whether limits of a ready sandbox can be changed; otherwise a grant of other limits starts cold."""

    def lacking(self, language: Language, wanted: Permissions) -> str:
        """Return in words what is wanted and cannot be had; empty where all of it can."""
        if language not in self.languages:
            return f"no {language}"
        kinds = {
            "no network": wanted.domains and not self.network,
            "no secrets": wanted.secrets and not self.secrets,
            f"no packages for {language}": wanted.packages and language not in self.packages,
            "no packages that run code as they are installed": wanted.builds and not self.builds,
            "no state that stays": wanted.session and not self.sessions,
        }
        return ", ".join(words for words, lacks in kinds.items() if lacks)

    @property
    def named(self) -> tuple[str, ...]:
        """Return the names of all that can be done, beside the languages."""
        return tuple(one.name for one in fields(self) if getattr(self, one.name) is True)


class SessionStore(Protocol):
    """The sandboxes that stay between executions, each known by its session."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sessions that are not over."""

    def lives(self, session: str) -> bool:
        """Say whether a session has what ran in it before."""

    def renew(self, session: str) -> None:
        """Forget what ran in a session; its next order starts with nothing."""

    def end(self, session: str) -> None:
        """End a session and whatever it has."""


class PackageSource(Protocol):
    """Where packages are looked up before they are granted."""

    @property
    def looks_up(self) -> bool:
        """Whether what a submission's packages lack is looked up as it comes in."""

    async def look_up(
        self,
        packages: Sequence[Package],
        language: Language = Language.PYTHON,
        builds: Collection[str] = (),
        watcher: Watcher | None = None,
    ) -> tuple[Package, ...]:
        """Return exact versions and hashes of packages and of all that they need.

        Raises SandboxUnavailable.
        """


class Backend(Protocol):
    """Runs jobs, each in a sandbox of its own or in one that stays; `SandboxManager` by Docker and gVisor.

    A job is code, or one tool call on a sandbox that stays; `Direct` has these by their names.
    """

    keeper: ArtifactKeeper | None
    """Who keeps the files that runs leave."""

    @property
    def settings(self) -> SandboxSettings:
        """What it was made with."""

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
    def stocks(self) -> tuple[PoolStatus, ...]:
        """How many sandboxes wait ready for each image."""

    @property
    def sessions(self) -> SessionStore:
        """The sandboxes that stay."""

    @property
    def packages(self) -> PackageSource:
        """Where packages are looked up."""

    async def start(self) -> None:
        """Remove what dead engines left, and prove isolation. What is missing is noted, not raised."""

    async def close(self) -> None:
        """End every run and remove every sandbox."""

    async def prove(self) -> IsolationProof:
        """Try in a real sandbox whether it is isolated. Raises SandboxUnavailable."""

    async def warm(self, images: Sequence[tuple[Language, str]]) -> None:
        """Start to keep sandboxes of these images ready."""

    async def checks(self) -> tuple[Check, ...]:
        """Return its rows of Health."""

    async def image_digest(self, image: str) -> str:
        """Return the digest of an image. Raises SandboxUnavailable."""

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job while a watcher follows its output, meters and steps. Raises SandboxUnavailable."""

    async def stop(self, run: str, by: str) -> None:
        """Ask a run's program to end, and end it after the grace."""

    async def kill(self, run: str, by: str) -> None:
        """End a run at once."""

    async def pause(self, run: str) -> bool:
        """Stop a run where it stands; say whether it stands."""

    async def resume(self, run: str) -> bool:
        """Let a frozen run go on; say whether it goes."""

    def goes(self, run: str) -> bool:
        """Say whether the files of a run can be asked for: it goes on."""

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a run that goes on. Raises SandboxUnavailable."""

    async def file(self, run: str, name: str) -> bytes | None:
        """Return such a file, or None where there is none. Raises SandboxUnavailable."""
