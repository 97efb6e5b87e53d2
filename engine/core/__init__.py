"""The engine's services, used by every API."""

from engine.core.engine import Engine

__all__ = ["Engine"]
