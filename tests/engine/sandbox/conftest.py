"""Tests of sandboxes and their network run on the event loop that the engine serves on."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping

import uvloop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """Run every test below this folder on uvloop."""
    return {"uvloop": uvloop.new_event_loop}
