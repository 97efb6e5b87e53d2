"""The ground under the engine: its state folder, and the space on its disk."""

from engine.core.storage.storage import Storage

__all__ = ["Storage"]
