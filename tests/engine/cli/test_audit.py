"""`pratique audit`, against a running engine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.cli.output.progress import progress_line
from engine.common.text import Untrusted
from engine.history.chain.checkpoints import sign
from engine.history.chain.signing_key import signing_key
from engine.models import DecisionOutcome, Draft, Language
from tests.engine_process import EngineProcess

HOSTILE = "import os  # \x1b[31m\u202e"


@pytest.fixture(autouse=True)
def home(engine: EngineProcess, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the commands find the running engine."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    return engine.home


@pytest.fixture(scope="module")
def denied(engine: EngineProcess) -> str:
    """Return the id of a submission that was denied."""

    async def submit() -> str:
        async with engine.client("agent") as client:
            case = await client.submit(Draft(code=Untrusted(HOSTILE), language=Language.PYTHON))
            await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest, "no")
            return case.submission.id

    return asyncio.run(submit())


def test_search_finds_and_shows_no_escape(denied: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A search lists what it finds, with hostile code made visible."""
    assert ExitCode.OK == main(["audit", "search", "status:denied lang:py"])
    said = capsys.readouterr().out
    assert denied in said
    assert "␛[31m⟨202E⟩" in said
    assert ExitCode.OK == main(["audit", "search", "lang:js"])
    assert "" == capsys.readouterr().out


def test_typo_is_pointed_at(capsys: pytest.CaptureFixture[str]) -> None:
    """A filter with a typo gets an arrow under the character and a better word."""
    assert ExitCode.ERROR == main(["audit", "search", "risk:low reviever:x"])
    lines = capsys.readouterr().err.splitlines()
    assert "           ^" == lines[2]
    assert "r" == lines[1][11]
    assert "Did you mean reviewer?" == lines[3]


def test_timeline_tells_the_steps(denied: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The steps of a submission are told in order as sentences; as JSON with the types of the events."""
    assert ExitCode.OK == main(["audit", "timeline", denied])
    lines = capsys.readouterr().out.splitlines()
    told = ("submitted code", "was analysed", "was assessed", "decided: denied, no")
    assert [True] * 4 == [words in line for words, line in zip(told, lines, strict=True)]
    assert ExitCode.OK == main(["audit", "timeline", denied, "--json"])
    types = ["submission.created", "submission.analysed", "submission.assessed", "decision.made"]
    assert types == [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "ocsf"])
def test_exports_are_written(denied: str, kind: str, tmp_path: Path) -> None:
    """Each format is written to the file that is named, and holds no raw escape."""
    assert ExitCode.OK == main(["audit", "export", f"id:{denied}", "-f", kind, "-o", str(tmp_path / "out")])
    text = (tmp_path / "out").read_text()
    assert denied in text
    assert "\x1b" not in text


def test_recording_of_a_run(denied: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A cast starts with its header; without a run to record it is an error."""
    assert ExitCode.OK == main(["audit", "export", denied, "-f", "cast"])
    assert 2 == json.loads(capsys.readouterr().out.splitlines()[0])["version"]
    assert ExitCode.ERROR == main(["audit", "export", "-f", "cast"])
    assert ExitCode.OK == main(["audit", "replay", denied])


def test_case_file_is_written(denied: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The case file lies where it was asked for; of nothing there is none."""
    assert ExitCode.OK == main(["audit", "case", denied, "-o", str(tmp_path / "case.zip")])
    assert "verify.py" in zipfile.ZipFile(tmp_path / "case.zip").namelist()
    assert ExitCode.ERROR == main(["audit", "case", "nowhere", "-o", str(tmp_path / "no.zip")])
    assert "No submission is called 'nowhere'" in capsys.readouterr().err
    assert ExitCode.ERROR == main(["audit", "case", denied, "-o", "/proc/nowhere/case.zip"])


def test_who_takes_a_case_file_is_recorded(engine: EngineProcess, denied: str, tmp_path: Path) -> None:
    """A case file and an export are each an event of the engine that answers."""
    assert ExitCode.OK == main(["audit", "case", denied, "-o", str(tmp_path / "case.zip")])
    assert ExitCode.OK == main(["audit", "export", f"id:{denied}", "-f", "csv", "-o", str(tmp_path / "csv")])
    connection = sqlite3.connect(f"file:{engine.home / 'pratique.db'}?mode=ro", uri=True)
    with contextlib.closing(connection):
        rows = connection.execute(
            "SELECT data FROM events WHERE type = 'history.exported' ORDER BY seq"
        ).fetchall()
    told = [json.loads(data) for (data,) in rows[-2:]]
    assert [(denied, "case"), (f"id:{denied}", "csv")] == [(data["what"], data["format"]) for data in told]


def test_a_case_file_needs_no_engine(
    engine: EngineProcess,
    denied: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of a history that no engine has open the case file is made all the same, and says what is missing."""
    with (
        contextlib.closing(sqlite3.connect(engine.home / "pratique.db")) as history,
        contextlib.closing(sqlite3.connect(tmp_path / "pratique.db")) as copy,
    ):
        history.backup(copy)
    (tmp_path / "pratique.key").write_bytes((engine.home / "pratique.key").read_bytes())
    (tmp_path / "pratique.key").chmod(0o600)
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    assert ExitCode.OK == main(["audit", "case", denied, "-o", str(tmp_path / "case.zip")])
    assert "No engine is running" in capsys.readouterr().err
    assert not (tmp_path / "run" / "engine.sock").exists()


def test_made_up_history_goes_to_an_empty_place_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A history is made up where there is none, and refused where an engine has one."""
    assert ExitCode.ERROR == main(["dev", "seed-history", "--runs", "3"])
    assert "Another engine already writes the history" in capsys.readouterr().err
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "empty"))
    assert ExitCode.OK == main(["dev", "seed-history", "--runs", "3"])
    assert ExitCode.ERROR == main(["dev", "seed-history", "--runs", "3"])
    assert "has events already" in capsys.readouterr().err


def test_verify_says_so_in_one_line(denied: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An untouched history is intact; a changed one is named and ends with another exit code."""
    assert ExitCode.OK == main(["audit", "verify"])
    assert "checkpoints: intact; that no later ones were cut off is shown by " in capsys.readouterr().out
    assert ExitCode.OK == main(["audit", "verify", "--resume"])
    assert capsys.readouterr().out.endswith("; only what came after the last checkpoint was read\n")
    connection = sqlite3.connect(home / "pratique.db", isolation_level=None)
    (actor,) = connection.execute("SELECT actor FROM events WHERE seq = 2").fetchone()
    connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 2")
    assert ExitCode.FAILED == main(["audit", "verify"])
    connection.execute("UPDATE events SET actor = ? WHERE seq = 2", (actor,))
    connection.close()
    assert "NOT INTACT: record 2 was changed\n" == capsys.readouterr().err


def test_verify_asks_the_witness(
    denied: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a witness has kept is compared; a file that holds nothing of it is refused in words."""
    kept = tmp_path / "kept"
    key = signing_key(home / "pratique.key")
    kept.write_text(sign(key, 3, bytes(32), bytes(32), "2026-11-21T06:00:00.000000Z"))
    assert ExitCode.FAILED == main(["audit", "verify", "--witness", str(kept)])
    assert "the first 3 records are not those that the witness has of" in capsys.readouterr().err
    kept.write_text("")
    for file in (kept, tmp_path / "absent"):
        assert ExitCode.ERROR == main(["audit", "verify", "--witness", str(file)])
    said = capsys.readouterr().err
    assert "contains no checkpoint" in said
    assert "cannot be read: No such file" in said


def test_figures_are_told(denied: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Trends say how many there were and who asked most."""
    assert ExitCode.OK == main(["audit", "trends", "--days", "1"])
    assert "submissions, " in capsys.readouterr().out
    assert ExitCode.OK == main(["audit", "trends", "--json"])
    assert json.loads(capsys.readouterr().out)["busiest"]


_LAST_EXPORT = "SELECT data FROM events WHERE type = 'history.exported' ORDER BY seq DESC"


def test_an_export_is_in_the_history(denied: str, home: Path) -> None:
    """Who took what out is an event."""
    assert ExitCode.OK == main(["audit", "export", "risk:low", "-f", "csv"])
    with contextlib.closing(sqlite3.connect(home / "pratique.db")) as connection:
        (data,) = connection.execute(_LAST_EXPORT).fetchone()
    assert "risk:low" == json.loads(data)["what"]


def test_a_bar_fits_its_line() -> None:
    """A bar, a share, a count and a rate, no wider than the terminal."""
    assert progress_line("records", 50, 200, 10, 200).endswith("25 %  50 of 200 records  5/s")
    assert 20 > len(progress_line("records", 1, 0, 0, 20))
