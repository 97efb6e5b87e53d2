"""The Python client of the engine; its light distribution is imported as `pratique`.

Names are imported when they are first used: whoever needs one does not wait for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.client.client import Client
    from engine.client.environment import client_from_environment
    from engine.client.sync_client import SyncClient
    from engine.common.errors import Problem
    from engine.common.text import Untrusted, visible
    from engine.models import (
        Case,
        DecisionOutcome,
        Draft,
        Grant,
        InputFile,
        Language,
        Limits,
        Package,
        Permissions,
        Status,
    )

__all__ = [
    "Case",
    "Client",
    "DecisionOutcome",
    "Draft",
    "Grant",
    "InputFile",
    "Language",
    "Limits",
    "Package",
    "Permissions",
    "Problem",
    "Status",
    "SyncClient",
    "Untrusted",
    "client_from_environment",
    "visible",
]

_MODULES = {
    "Client": "engine.client.client",
    "Problem": "engine.common.errors",
    "SyncClient": "engine.client.sync_client",
    "Untrusted": "engine.common.text",
    "client_from_environment": "engine.client.environment",
    "visible": "engine.common.text",
}


def __getattr__(name: str) -> Any:
    """Return a public name from the module that has it, by default the models."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "engine.models")), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
