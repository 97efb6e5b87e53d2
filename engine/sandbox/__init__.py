"""Runs approved code in isolated sandboxes, each used once."""

from engine.sandbox.api.backend import Backend, PackageSource, SessionStore
from engine.sandbox.api.capabilities import BackendCapabilities
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.permit import StartPermit, StartRequest
from engine.sandbox.api.pool_status import PoolStatus

__all__ = [
    "ArtifactKeeper",
    "Backend",
    "BackendCapabilities",
    "Job",
    "PackageSource",
    "PoolStatus",
    "SandboxUnavailable",
    "SessionStore",
    "StartPermit",
    "StartRequest",
    "Watcher",
]
