"""The client of the engine that the environment names."""

from __future__ import annotations

import os

from engine.client.client import Client

ENGINE = "PRATIQUE_ENGINE"
"""If it is set, the client uses the engine at this URL and starts none."""
TOKEN = "PRATIQUE_TOKEN"  # noqa: S105  the name of a variable


def client_from_environment(requester: str = "") -> Client:
    """Return a client of the engine that the environment names, otherwise of the local one."""
    if url := os.environ.get(ENGINE):
        return Client(url, requester, token=os.environ.get(TOKEN, ""))
    return Client(requester=requester)
