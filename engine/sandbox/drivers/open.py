"""Opens the backend that the settings choose: gVisor containers on the local or a remote Docker Engine."""

from __future__ import annotations

from engine.sandbox.api.backend import Backend
from engine.sandbox.api.job import ArtifactKeeper
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings


def open_backend(settings: SandboxSettings, engine_id: str, keeper: ArtifactKeeper | None = None) -> Backend:
    """Return a backend whose containers carry this engine's id. Connects to nothing yet."""
    marks = frozenset(settings.line_marks)
    driver = DockerDriver(settings.runtime, settings.call_deadline_seconds, engine_id, marks)
    return SandboxManager(settings, driver, keeper)
