"""An API server, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from tests.engine.sandbox.kubernetes.api_server import Server, serving


@pytest.fixture
def server() -> Server:
    """An API server."""
    return Server()


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[ApiClient]:
    """A client of it."""
    async with serving(server, tmp_path) as settings:
        client = ApiClient(settings, 5.0)
        yield client
        await client.close()
