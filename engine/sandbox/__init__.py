"""Runs approved code in gVisor sandboxes, each used once."""

from engine.sandbox.api.backend import Backend, BackendCapabilities
from engine.sandbox.api.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.run.manager import SandboxManager

__all__ = [
    "ArtifactKeeper",
    "Backend",
    "BackendCapabilities",
    "Job",
    "SandboxManager",
    "SandboxUnavailable",
    "Watcher",
]
