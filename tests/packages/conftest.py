"""A running engine, as the tests of the engine have it."""

from __future__ import annotations

from tests.engine.conftest import engine

__all__ = ["engine"]
