"""Notes, tags and incidents from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.client.sync_client import SyncClient
from engine.common.text import Untrusted
from engine.history.exports import case_verify
from engine.models import DecisionOutcome, Draft, Language
from tests.engine_process import EngineProcess


def test_an_incident_is_collected_and_exported(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A note, a tag, a submission and a search; the file is proved, and is not written over another one."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket, "agent-7") as client:
        submission = client.submit(
            Draft(code=Untrusted("import os\nos.remove('x')\n"), language=Language.PYTHON)
        ).submission
        client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, "no")
        assert [0, 0, 0] == [
            main(["note", submission.id, "asked bob"]),
            main(["tag", submission.id, "seen"]),
            main(["tag", submission.id, "seen", "--remove"]),
        ]
        types = [event.type for event in client.history.events(submission.id)]
    assert ["note.added", "tag.added", "tag.removed"] == [
        type for type in types if type.startswith(("note.", "tag."))
    ]
    capfd.readouterr()
    assert 0 == main(["incident", "open", "keys lost", "--json"])
    id = json.loads(capfd.readouterr().out)["id"]
    for kind, value in (("submission", submission.id), ("query", "agent:agent-7"), ("note", "revoked")):
        assert 0 == main(["incident", "add", id, kind, value])
    assert 0 == main(["incident", "show", id])
    assert 0 == main(["incident", "list"])
    assert "keys lost" in capfd.readouterr().out
    file = tmp_path / "incident.zip"
    assert [0, 5] == [main(["incident", "export", id, "-o", str(file)]) for _ in range(2)]
    capfd.readouterr()
    assert 0 == case_verify.main(["--key", str(engine.home / "pratique.pub"), str(file)])
    assert [5, 5] == [main(["incident", "show", "i-0"]), main(["note", "s-0", "x"])]


def test_a_query_is_shared_listed_and_removed(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is no query, and a name that is none, are refused with what to type."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    assert 0 == main(["queries", "share", "keys", "secret:*"])
    assert 0 == main(["queries", "list"])
    assert "secret:*" in capfd.readouterr().out
    refused = (["share", "keys", "risc:low"], ["share", "no name", "risk:low"], ["remove", "other"])
    assert [5, 5, 5] == [main(["queries", *words]) for words in refused]
    assert 0 == main(["queries", "remove", "keys", "--json"])
    assert {"removed": "keys"} == json.loads(capfd.readouterr().out)
