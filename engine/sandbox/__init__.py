"""Runs approved code in gVisor sandboxes, each used once."""

from engine.sandbox.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.manager import SandboxManager

__all__ = ["ArtifactKeeper", "Job", "SandboxManager", "SandboxUnavailable", "Watcher"]
