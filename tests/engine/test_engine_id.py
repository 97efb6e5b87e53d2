"""The name of an engine, which its sandboxes and layers carry."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.common import engine_id as names

STATE = Path("/var/lib/pratique")


def test_the_same_path_on_another_machine_is_another_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two machines with one Docker keep apart; the same machine finds its own again."""
    here = names.engine_id(STATE)
    assert here == names.engine_id(STATE)
    monkeypatch.setattr(Path, "read_text", lambda *_: "another-machine")
    assert here != names.engine_id(STATE)
