"""The table of what tokens are good for names what there is, and nothing else."""

from __future__ import annotations

import httpx

from engine.server.http.authorization import ROUTE_SCOPES, VERSION
from tests.engine_process import EngineProcess


def test_the_table_names_operations_that_there_are(engine: EngineProcess) -> None:
    """A line that no route answers to would be a door believed shut; what has no line is for admins."""
    transport = httpx.HTTPTransport(uds=str(engine.socket))
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=60) as http:
        paths = http.get("/openapi.json").json()["paths"]
    there = {
        f"{method.upper()} {path.removeprefix(VERSION)}"
        for path, methods in paths.items()
        for method in methods
    }
    assert {line.replace(":path}", "}") for line in ROUTE_SCOPES} <= there
    assert {"GET /keys", "DELETE /keys/{key}"} <= there - set(ROUTE_SCOPES)
    assert {"POST /shutdown", "POST /tokens", "GET /tokens"} <= there - set(ROUTE_SCOPES)
