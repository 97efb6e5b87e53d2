"""The command line loads no more than it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.test_brake import typed


def loaded(home: Path, *words: str) -> list[str]:
    """Return the modules that a command has imported at its end."""
    ended = typed(home, *words)
    assert 0 == ended.returncode, ended.stderr
    return ended.stdout.splitlines()[-1].split()


def test_the_version_loads_no_command(tmp_path: Path) -> None:
    """It is printed by what all commands share."""
    assert [] == [name for name in loaded(tmp_path, "--version") if name.startswith("engine.cli.commands")]


@pytest.mark.parametrize("words", [("--help",), ("serve", "--help")])
def test_the_help_loads_no_server(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The server is imported where it is started."""
    assert "engine.server.serve" not in loaded(tmp_path, *words)
