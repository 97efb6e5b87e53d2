"""The engine's service: the one way in for every door."""

from engine.service.engine import Engine

__all__ = ["Engine"]
