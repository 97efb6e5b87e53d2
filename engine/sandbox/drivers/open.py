"""Opens the backend that the settings choose: gVisor containers on Docker, or gVisor Pods on Kubernetes."""

from __future__ import annotations

from engine.sandbox.api.backend import Backend
from engine.sandbox.api.driver import SandboxDriver
from engine.sandbox.api.job import ArtifactKeeper
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings


def open_backend(settings: SandboxSettings, engine_id: str, keeper: ArtifactKeeper | None = None) -> Backend:
    """Return a backend whose sandboxes carry this engine's id. Connects to nothing yet."""
    return SandboxManager(settings, open_driver(settings, engine_id), keeper)


def open_driver(settings: SandboxSettings, engine_id: str) -> SandboxDriver:
    """Return the driver of the backend that is chosen. Connects to nothing yet."""
    marks, deadline = frozenset(settings.line_marks), settings.call_deadline_seconds
    if settings.backend == "kubernetes":
        from engine.sandbox.drivers.kubernetes.driver import (  # noqa: PLC0415  aiohttp takes its time
            KubernetesDriver,
        )

        return KubernetesDriver(settings.kubernetes, deadline, engine_id, marks)
    return DockerDriver(settings.runtime, deadline, engine_id, marks)
