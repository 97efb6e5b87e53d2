"""`pratique import` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.policy import load

SETTINGS = {"permissions": {"deny": ["Bash(curl:*)"], "allow": ["Bash(\x1b[2Jls)"]}}


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Return a settings file of Claude Code."""
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(SETTINGS))
    return file


def test_the_policy_is_printed(settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It can be used as it is, and steers no terminal."""
    assert 0 == main(["import", "claude-code", str(settings)])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    file = tmp_path / "policy.yaml"
    file.write_text(printed)
    assert "claude-code-deny-1" in {rule.spec.id for rule in load(file).rules}


def test_it_writes_a_new_file_and_explains(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is there stays as it is."""
    output = tmp_path / "new.yaml"
    assert 0 == main(["import", "claude-code", str(settings), "-o", str(output)])
    said = capsys.readouterr()
    assert "line 1: deny Bash(curl:*) - taken" in said.out
    assert f"pratique policy diff {output}" in said.err
    text = output.read_text()
    assert 5 == main(["import", "claude-code", str(settings), "-o", str(output)])
    assert text == output.read_text()


def test_entries_as_json(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object for each."""
    assert 0 == main(["import", "claude-code", str(settings), "--json"])
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [("taken", "claude-code-deny-1"), ("left out", None)] == [
        (entry["status"], entry["rule"]) for entry in entries
    ]


def test_what_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, with the file."""
    assert 5 == main(["import", "openshell", str(tmp_path / "none.yaml")])
    said = capsys.readouterr().err
    assert said.startswith("pratique: ")
    assert "none.yaml:1: cannot be read" in said
