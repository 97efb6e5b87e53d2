"""Runs approved code in gVisor sandboxes, each used once."""

from engine.sandbox.backend import Abilities, Backend
from engine.sandbox.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.manager import SandboxManager

__all__ = [
    "Abilities",
    "ArtifactKeeper",
    "Backend",
    "Job",
    "SandboxManager",
    "SandboxUnavailable",
    "Watcher",
]
