"""Responding to an incident from the command line: stop and pause real runs, block, and undo."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine.cli import main
from engine.client.sync_client import SyncClient
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Status
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.sandbox
LONG = "import time\nprint('on', flush=True)\ntime.sleep(100)\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def running(engine: EngineProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SyncClient, str]]:
    """Yield a client and the ID of a run that goes on."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket, "agent-7") as client:
        submission = client.submit(Draft(code=Untrusted(LONG), language=Language.PYTHON)).submission
        client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest)
        with closing(client.output(submission.id)) as written:
            assert b"on\n" == next(written).data
        yield client, submission.id
        for block in client.responses.blocks():
            client.responses.unblock(block.id)


def test_a_response_stops_and_blocks_and_is_undone(running: tuple[SyncClient, str], capfd: Capture) -> None:
    """The plan names the run; the response stops it and refuses its agent, until it is undone."""
    client, id = running
    assert 0 == main(["respond", "plan", f"id:{id}", "--json"])
    plan = json.loads(capfd.readouterr().out)
    assert [id] == plan["running"]
    agent = next(one["value"] for one in plan["targets"] if one["kind"] == "agent")
    words = ["respond", "act", f"id:{id}", "--stop", "--block", "agent", "--block", "host=evil.example"]
    assert 0 == main([*words, "--reason", "incident 7", "--yes", "--json"])
    made = json.loads(capfd.readouterr().out)
    assert [] == made["problems"]
    assert Status.KILLED is client.case(id, within=60).status
    refused = client.submit(Draft(code=Untrusted("print(1)"), language=Language.PYTHON))
    assert (agent, Status.REFUSED) == (refused.submission.requester.name.text, refused.status)
    assert 0 == main(["respond", "undo", made["id"]])
    assert "undone" in capfd.readouterr().out
    assert () == client.responses.blocks()
    assert 5 == main(["respond", "undo", made["id"]])


def test_a_pause_is_undone(running: tuple[SyncClient, str], capfd: Capture) -> None:
    """Undoing a response resumes what it paused; where nothing can be paused, the answer says so."""
    client, id = running
    assert 0 == main(["respond", "act", f"id:{id}", "--pause", "--yes", "--json"])
    made = json.loads(capfd.readouterr().out)
    done = [event.type for event in client.history.events(id)]
    assert ("run.pause" in done) is not bool(made["problems"])
    assert 0 == main(["respond", "undo", made["id"], "--json"])
    resumed = [event.type for event in client.history.events(id)]
    assert ("run.resume" in resumed) is not bool(made["problems"])
    client.kill(id)
    assert client.case(id, within=60).result is not None


def test_nothing_is_done_without_confirmation(
    running: tuple[SyncClient, str], capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --yes it asks, and an empty answer is no."""
    client, id = running
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert 5 == main(["respond", "act", f"id:{id}", "--stop", "--block", "agent"])
    assert f"stop   {id}" in capfd.readouterr().out
    assert Status.RUNNING is client.case(id).status
    assert () == client.responses.blocks()
    assert 5 == main(["respond", "act", f"id:{id}", "--block", "colour"])
    client.kill(id)


def test_blocks_from_the_command_line(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    """They are created, listed and removed by the same words."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    assert 0 == main(["block", "create", "host", "evil.example", "--hours", "2", "--json"])
    id = json.loads(capfd.readouterr().out)["id"]
    assert 0 == main(["block", "list"])
    assert "host  evil.example" in capfd.readouterr().out
    assert 0 == main(["block", "remove", id])
    assert 5 == main(["block", "remove", id])
    assert "pratique block list" in capfd.readouterr().err
