"""A home for each test of the console that runs in this process, so that no text of one is in another."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(request.node.get_closest_marker(name) for name in ("sandbox", "terminal")):
        path: Path = request.getfixturevalue("tmp_path")
        monkeypatch.setenv("PRATIQUE_HOME", str(path / "home"))
