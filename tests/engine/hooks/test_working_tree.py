"""A copy of the agent's folder in the sandbox, and what changed there, as a diff."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.hooks import working_tree
from engine.models import DecisionOutcome
from tests.engine.hooks.messages import message
from tests.engine.hooks.test_hook import hooked
from tests.engine.hooks.test_sandboxed_commands import result
from tests.engine_process import EngineProcess


def tree(folder: Path) -> Path:
    """Return a folder with sources, and with what must not leave it."""
    for name, text in {
        "main.sh": "echo one\n",
        "deep/data.csv": "a,b\n1,2\n",
        ".env": "KEY=1",
        ".git/config": "[core]",
        "node_modules/x.js": "1",
        "server.pem": "x",
        "config.txt": "aws AKIAIOSFODNN7EXAMPLE\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "away").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    return folder


def test_sources_are_copied_and_nothing_else(tmp_path: Path) -> None:
    """No hidden file, link, pipe, key, or file with a secret in it."""
    copied = {file.name.text: file.content for file in working_tree.copied(str(tree(tmp_path)))}
    assert {"deep/data.csv": b"a,b\n1,2\n", "main.sh": b"echo one\n"} == copied


def test_a_large_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole: a part of it would mislead."""
    monkeypatch.setattr(working_tree, "MOST_FILES", 1)
    with pytest.raises(Problem, match="over 1 files"):
        working_tree.copied(str(tree(tmp_path)))
    with pytest.raises(Problem, match="not known"):
        working_tree.copied(str(tmp_path / "elsewhere"))


@pytest.mark.sandbox
async def test_what_a_command_changed_comes_back_as_a_diff(
    engine: EngineProcess, client: Client, tmp_path: Path
) -> None:
    """It runs on a copy: the agent's own files stay as they are."""
    folder = tree(tmp_path / "work")
    fields = json.loads(message("claude", "sh main.sh; echo '3,4' >> deep/data.csv; echo new > made.txt"))
    sent = json.dumps({**fields, "cwd": str(folder)}).encode()
    ended = await asyncio.to_thread(hooked, engine.home, "claude", sent, "workspace")
    id = json.loads(ended.stdout)["hookSpecificOutput"]["updatedInput"]["command"].split()[-1]
    case = await client.case(id)
    await client.decide(id, DecisionOutcome.APPROVED, case.submission.digest)
    said = await asyncio.to_thread(result, engine, id)
    assert 0 == said.returncode, said.stderr
    assert said.stdout.startswith("one\n")
    assert "--- a/deep/data.csv\n+++ b/deep/data.csv\n" in said.stdout
    assert "+3,4\n" in said.stdout
    assert "--- /dev/null\n+++ b/made.txt\n" in said.stdout
    assert "a,b\n1,2\n" == (folder / "deep" / "data.csv").read_text()
    assert not (folder / "made.txt").exists()
