"""Erasing, legal holds and the file of a person, from the command line and over HTTP."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import httpx
import pytest

from engine.cli import main
from engine.client.sync_client import SyncClient
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from engine.models.erasing.erasure import ErasureRequest
from tests.engine_process import EngineProcess

SECRET = "zanzibar"


def _denied(client: SyncClient, name: str) -> str:
    """Submit code that tells the secret, deny it with a reason that does, and return its id."""
    code = Untrusted(f"import os\nos.remove('{SECRET}-{name}')\n")
    draft = Draft(code=code, language=Language.PYTHON, purpose=Untrusted(f"{SECRET} purpose"))
    submission = client.submit(draft).submission
    client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, f"{SECRET} reason")
    client.incidents.note(submission.id, f"{SECRET} note")
    return submission.id


def _told(engine: EngineProcess, id: str) -> str:
    """Return what every route that answers about a submission says, and every byte of the state folder."""
    get = httpx.Client(transport=httpx.HTTPTransport(uds=str(engine.socket)), base_url="http://engine").get
    paths = (
        "",
        "/analysis",
        "/decision",
        "/thread",
        "/similar",
        "/erasures",
        "/output",
        "/effects",
        "/lines",
    )
    urls = [f"/v1/submissions/{id}{path}" for path in paths]
    urls += [f"/v1/runs/{id}{path}" for path in ("", "/output", "/meters", "/effects", "/lines")]
    urls += [f"/v1/history{path}" for path in ("", f"/{id}/events", "/facets")]
    answers = [get(url).content.decode("latin-1") for url in (*urls, f"/v1/audit/{id}/case", "/v1/queue")]
    files = (file for file in engine.home.rglob("*") if file.is_file() and not file.is_symlink())
    return "\n".join([*answers, *(file.read_bytes().decode("latin-1") for file in files)])


def test_what_was_erased_is_nowhere(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """After `pratique erase` no route and no file of the state folder has a word of it."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket, "agent-8") as client:
        id = _denied(client, "one")
        assert SECRET in _told(engine, id)
        assert 0 == main(["erase", "--submission", id, "--reason", "asked", "--dry-run", "--json"])
        assert {"code": 1, "decision.made": 1, "note.added": 1, "submission.created": 1} == json.loads(
            capfd.readouterr().out
        )["categories"]
        assert SECRET in _told(engine, id)
        assert 0 == main(["erase", "--submission", id, "--reason", "asked", "--yes"])
        assert SECRET not in _told(engine, id)
        assert client.history.verify().intact


def test_the_erasures_are_listed(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The newest first, with who, why and how much; HTTP gives them in pages."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket, "agent-8") as client:
        ids = [_denied(client, name) for name in ("two", "three")]
    for id in ids:
        assert 0 == main(["erase", "--submission", id, "--reason", f"asked for {id}", "--yes", "--json"])
    capfd.readouterr()
    assert 0 == main(["erasures", "--limit", "2", "--json"])
    listed = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(id, f"asked for {id}", 1) for id in reversed(ids)] == [
        (one["submission"], one["reason"], one["contents"]) for one in listed
    ]
    assert 0 == main(["erasures"])
    assert f"{ids[1]}  1 content, texts of 3 records" in capfd.readouterr().out
    get = httpx.Client(transport=httpx.HTTPTransport(uds=str(engine.socket)), base_url="http://engine").get
    first = get("/v1/erasures", params={"limit": 1})
    assert ids[0] == get(first.links["next"]["url"]).json()[0]["submission"]


def test_a_hold_keeps_until_it_is_released(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a hold's query finds is not erased; once it is released it is; both are events."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket, "agent-9") as client:
        id = _denied(client, "held")
        assert 0 == main(["hold", "place", "agent:agent-9", "--reason", "case 12", "--json"])
        hold = json.loads(capfd.readouterr().out)["id"]
        request = ErasureRequest(submission=id, reason=Untrusted("asked"))
        report = client.erasures.erase(request)
        assert (0, (id,)) == (report.submissions, report.held)
        assert 0 == main(["hold", "list"])
        assert "case 12" in capfd.readouterr().out
        assert 0 == main(["hold", "release", hold])
        assert 5 == main(["hold", "release", hold])
        assert (1, ()) == ((report := client.erasures.erase(request)).submissions, report.held)


def test_everything_about_a_person(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The file of a person has what they submitted; erasing the person leaves no word, and keeps the name."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    file = tmp_path / "person.zip"
    with SyncClient(engine.socket, "agent-10") as client:
        ids = [_denied(client, "one"), _denied(client, "two")]
        assert [0, 5] == [main(["export-person", "agent-10", str(file)]) for _ in range(2)]
        with zipfile.ZipFile(file) as archive:
            for id in ids:
                assert SECRET in archive.read(f"submissions/{id}/code").decode()
        assert 5 == main(["export-person", "nobody-11", str(tmp_path / "none.zip")])
        assert 0 == main(["erase", "--person", "agent-10", "--reason", "asked", "--yes"])
        assert 2 == len(client.history.search("agent:agent-10"))
        assert SECRET not in "".join(_told(engine, id) for id in ids)


def test_a_request_that_names_no_one_thing_is_refused(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two targets, none, no reason and an unknown submission are refused with what to type."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    refused: tuple[list[str], ...] = (
        ["--submission", "s-0"],
        ["--submission", "s-0", "--person", "x"],
        [],
        ["--query", "risc:low"],
    )
    for arguments in refused:
        assert 5 == main(["erase", *arguments, "--reason", "asked", "--yes"])
