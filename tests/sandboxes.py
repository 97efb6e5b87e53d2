"""What tests and benchmarks of real sandboxes share."""

from __future__ import annotations

import asyncio
import functools
import uuid
from typing import Any

import docker
import docker.errors

from engine.common.text import Untrusted
from engine.core.runs.history_events import history_event
from engine.models import Artifact, InputFile, Language, Limits, Meters, OutputChunk, Stream
from engine.models.observed import Observation, ObservedEffect
from engine.sandbox import ArtifactKeeper, Job, StartPermit, StartRequest
from engine.sandbox.api.run_events import EffectsObserved, LinesRan, RunDisplay, RunEvent, RunObserved
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings

IMAGES = {
    Language.PYTHON: "pratique/python",
    Language.JAVASCRIPT: "pratique/node",
    Language.SHELL: "pratique/shell",
}


class Recorder:
    """A watcher that keeps everything, and can be waited for."""

    def __init__(self) -> None:
        self.chunks: list[OutputChunk] = []
        self.samples: list[Meters] = []
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.files: dict[str, bytes] = {}
        self.effects: dict[int, ObservedEffect] = {}
        self.observation: Observation | None = None
        self.lines: list[LinesRan] = []
        self._changed = asyncio.Condition()

    async def output(self, chunk: OutputChunk) -> None:
        """Keep a chunk."""
        self.chunks.append(chunk)
        await self._tell()

    def meters(self, sample: Meters) -> None:
        """Keep a sample."""
        self.samples.append(sample)

    async def permit(self, request: StartRequest) -> StartPermit:
        """Permit every start, and keep the request as an event."""
        self.events.append(("run.started", {"sandbox": request.sandbox, "image": request.image_digest}))
        await self._tell()
        return StartPermit(request)

    async def event(self, event: RunEvent) -> None:
        """Keep an event as the history would, and the text of displays."""
        if isinstance(event, EffectsObserved | RunObserved | LinesRan):
            self._observe(event)
            return
        kind, data = history_event(event)
        if isinstance(event, RunDisplay):
            data = event.display.model_dump(mode="json")
        self.events.append((kind, data))
        await self._tell()

    def _observe(self, event: EffectsObserved | RunObserved | LinesRan) -> None:
        """Keep what the kernel and the interpreter reported, apart from the other events."""
        if isinstance(event, LinesRan):
            self.lines.append(event)
        elif isinstance(event, RunObserved):
            self.observation = event.observation
        else:
            self.effects.update({one.number: one for one in event.effects})

    async def append_artifact(self, run: str, artifact: Artifact, content: bytes) -> None:
        """Keep a file."""
        self.files[artifact.name.text] = content

    async def until_said(self, text: bytes) -> None:
        """Wait until the guest has written `text` on standard output."""
        await self._until(lambda: text in self.stdout)

    async def until_happened(self, type: str) -> dict[str, Any]:
        """Wait for an event, and return what it carries."""
        await self._until(lambda: type in self.types)
        return next(data for name, data in self.events if name == type)

    @property
    def types(self) -> list[str]:
        """What happened, in order."""
        return [name for name, _ in self.events]

    @property
    def stdout(self) -> bytes:
        """All of standard output."""
        return self._joined(Stream.STDOUT)

    @property
    def stderr(self) -> bytes:
        """All of standard error."""
        return self._joined(Stream.STDERR)

    def _joined(self, stream: Stream) -> bytes:
        return b"".join(chunk.data for chunk in self.chunks if chunk.stream is stream)

    async def _until(self, holds: Any) -> None:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(holds)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


@functools.cache
def digest_of(image: str) -> str:
    """Return an image's digest; where Docker has none, one that no image has."""
    try:
        client = docker.APIClient(version="auto")
    except docker.errors.DockerException:
        return f"sha256:{'0' * 64}"
    try:
        found: dict[str, Any] = client.inspect_image(image)  # type: ignore[no-untyped-call]
        return str(found["Id"])
    except docker.errors.DockerException:
        return f"sha256:{'0' * 64}"
    finally:
        client.close()


def sandbox_manager(
    settings: SandboxSettings, engine: str, keeper: ArtifactKeeper | None = None
) -> SandboxManager:
    """Return the backend on Docker, with its parts at hand."""
    marks = frozenset(settings.line_marks)
    driver = DockerDriver(settings.runtime, settings.call_deadline_seconds, engine, marks)
    return SandboxManager(settings, driver, keeper)


def job(
    code: str | bytes,
    language: Language = Language.PYTHON,
    files: dict[str, bytes] | None = None,
    image: str = "",
    **limits: Any,
) -> Job:
    """Return a job with an id of its own."""
    given = tuple(InputFile(name=Untrusted(name), content=data) for name, data in (files or {}).items())
    data = code.encode() if isinstance(code, str) else code
    digest = digest_of(image or IMAGES[language])
    return Job(uuid.uuid4().hex[:12], language, digest, data, given, Limits(**{"seconds": 20} | limits))


def containers_of(engine: str) -> list[str]:
    """Return the containers that an engine's label is on."""
    client = docker.APIClient(version="auto")
    try:
        listed = client.containers(all=True, filters={"label": f"pratique.engine={engine}"})
        return [container["Id"] for container in listed]
    finally:
        client.close()
