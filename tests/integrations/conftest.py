"""A running engine and its client, as the tests of the engine have them."""

from __future__ import annotations

from tests.engine.conftest import client, engine

__all__ = ["client", "engine"]
