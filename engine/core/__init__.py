"""The engine's service: the one way in for every door."""

from engine.core.engine import Engine

__all__ = ["Engine"]
