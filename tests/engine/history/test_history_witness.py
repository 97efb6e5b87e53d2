"""Who is outside keeps the checkpoints, and finds out whoever could write everything here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
from engine.history.chain import chain, checkpoints
from engine.history.chain.heads import HeadSigner
from engine.history.chain.merkle import Frontier
from engine.history.chain.signing_key import signing_key
from engine.history.errors import WitnessError
from engine.history.store.sql.tree import sign
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.witness.checkpoint_file import add, notes, read
from engine.history.witness.git_witness import FILE, GitWitness
from engine.history.witness.http_witness import HttpWitness
from engine.history.witness.witnesses import Witness, Witnesses
from engine.models import Verification
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
NOTE = checkpoints.sign(Ed25519PrivateKey.generate(), 7, bytes(32), bytes(32), "2026-11-21T06:00:00.000000Z")
OTHER = NOTE.replace("\n7\n", "\n8\n")
PATIENT = 60.0


class Box:
    """A witness on loopback: keeps what is posted, and answers as it is told."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.status = "200 OK"
        self.silent = asyncio.Event()
        """Once set, nothing is answered."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            body = await reader.readexactly(size)
            if self.silent.is_set():
                await reader.read()
                return
            if self.status.startswith("2"):
                self.kept.append(body.decode())
            writer.write(f"HTTP/1.1 {self.status}\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()


@pytest.fixture
async def box() -> AsyncIterator[tuple[Box, str]]:
    """Yield a witness on loopback, and its URL."""
    made = Box()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    async with server:
        yield made, f"http://someone:secret@127.0.0.1:{server.sockets[0].getsockname()[1]}/notes"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a new repository whose hooks would leave a trace."""
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", folder], check=True, timeout=PATIENT)
    for name in ("pre-commit", "post-commit"):
        hook = folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ntouch hooked\n")
        hook.chmod(0o700)
    return folder


def commits(folder: Path) -> list[str]:
    """Return the subjects of all commits, the newest first; none where nothing was committed."""
    command = ["git", "-C", str(folder), "log", "--format=%s"]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=PATIENT
    ).stdout.splitlines()


async def test_a_checkpoint_is_posted_as_it_is(box: tuple[Box, str]) -> None:
    """What arrives is the signed note, byte for byte."""
    await HttpWitness(box[1], PATIENT).publish(NOTE)
    assert [NOTE] == box[0].kept


@pytest.mark.parametrize("status", ["500 No", "302 Found", "404 Not Found"])
async def test_an_answer_that_is_no_yes_is_a_refusal(box: tuple[Box, str], status: str) -> None:
    """Only 2xx means that it was kept; a redirect is not followed."""
    box[0].status = status
    with pytest.raises(WitnessError, match=f"it answered {status[:3]}"):
        await HttpWitness(box[1], PATIENT).publish(NOTE)


async def test_a_witness_that_says_nothing_is_left(box: tuple[Box, str]) -> None:
    """After its time a silent one is a refusal, and so is one that is not there."""
    box[0].silent.set()
    with pytest.raises(WitnessError, match=r"no answer within 0\.1 s"):
        await HttpWitness(box[1], 0.1).publish(NOTE)
    with pytest.raises(WitnessError, match="connection"):
        await HttpWitness("http://127.0.0.1:1/", PATIENT).publish(NOTE)


async def test_no_password_is_shown(box: tuple[Box, str]) -> None:
    """Neither the name nor what to type tells the password in the URL."""
    address = HttpWitness(box[1], PATIENT)
    assert "witness: 127.0.0.1" == address.name
    assert "secret" not in address.hint


async def test_a_checkpoint_is_a_line_and_a_commit(repository: Path) -> None:
    """Each checkpoint is committed once, on a line of the file, and no hook is run."""
    witness = GitWitness(repository, PATIENT)
    for note in (NOTE, NOTE, OTHER):
        await witness.publish(note)
    assert [NOTE, OTHER] == [json.loads(line) for line in (repository / FILE).read_text().splitlines()]
    assert ["Checkpoint of 8 records", "Checkpoint of 7 records"] == commits(repository)
    assert not (repository / "hooked").exists()


async def test_a_commit_that_failed_is_made_up_for(repository: Path) -> None:
    """While git cannot commit, it is a refusal; the next time the line is there once and committed."""
    lock = repository / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(WitnessError, match=r"index\.lock"):
        await GitWitness(repository, PATIENT).publish(NOTE)
    lock.unlink()
    await GitWitness(repository, PATIENT).publish(NOTE)
    assert [NOTE] == read((repository / FILE).read_text())
    assert ["Checkpoint of 7 records"] == commits(repository)


async def test_only_a_repository_is_written_to(tmp_path: Path, repository: Path) -> None:
    """Nothing is written to a folder that is none, nor through a link that leads out of one."""
    (repository / FILE).symlink_to(tmp_path / "out")
    for folder in (tmp_path, tmp_path / "absent", repository):
        with pytest.raises(WitnessError):
            await GitWitness(folder, PATIENT).publish(NOTE)
    assert ["repository"] == [each.name for each in tmp_path.iterdir()]


async def test_a_failure_is_told_once_and_so_is_its_end(box: tuple[Box, str]) -> None:
    """The events are those of the changes; the row of Health is red in between and says what to type."""
    box[0].status = "503 Busy"
    witness = Witness(HttpWitness(box[1], PATIENT))
    output = [await witness.publish(NOTE), await witness.publish(NOTE)]
    assert (False, True) == ((row := witness.check()).ok, row.hint.startswith("curl -i"))
    box[0].status = "204 Kept"
    output += [await witness.publish(NOTE), await witness.publish(OTHER)]
    assert ["witness.failed", None, "witness.reached", None] == output
    assert (True, "has the first 8 records") == (witness.check().ok, witness.check().detail.text)


async def test_a_witness_that_goes_between_checkpoints_is_told(
    box: tuple[Box, str], repository: Path
) -> None:
    """Nothing has to be published for it: a folder that is gone, and a host where nobody listens any more."""
    for backend in (HttpWitness(box[1], PATIENT), GitWitness(repository, PATIENT)):
        assert await Witness(backend).look() is None
    repository.rename(repository.with_name("away"))
    witness = Witness(GitWitness(repository, PATIENT))
    assert ["witness.failed", None] == [await witness.look(), await witness.look()]
    assert not witness.check().ok
    repository.with_name("away").rename(repository)
    assert ["witness.reached", True] == [await witness.look(), witness.check().ok]
    assert ["witness.failed"] == [await Witness(HttpWitness("http://127.0.0.1:1/", PATIENT)).look()]
    assert [] == box[0].kept


async def test_what_the_engine_signs_reaches_its_witnesses(
    box: tuple[Box, str], repository: Path, path: Path
) -> None:
    """Both witnesses get the newest checkpoint of a history that is being written."""
    settings = HistorySettings(checkpoint_events=3, witness_url=box[1], witness_git=repository)
    log = await SqliteHistoryStore.open(path, settings)
    keeping = asyncio.create_task(Witnesses(settings).run(log.read.latest_checkpoint, _never))
    for number in range(7):
        await log.append("history.viewed", "", ALICE, {"n": number})
    latest = await log.read.latest_checkpoint()
    async with asyncio.timeout(PATIENT):
        while latest not in box[0].kept or not (repository / FILE).exists() or len(commits(repository)) < 1:
            await asyncio.sleep(0.05)
    keeping.cancel()
    await asyncio.wait([keeping])
    await log.close()


async def _never(type: str, witness: str, error: str) -> None:
    raise AssertionError((type, witness, error))


async def rewritten(path: Path, settings: HistorySettings) -> list[str]:
    """Write a history, then another one with the same key; return what a witness had kept of the first."""
    log = await SqliteHistoryStore.open(path, settings)
    for number in range(9):
        await log.append("history.viewed", "", ALICE, {"n": number})
    await log.close()
    file = path.with_name(path.name + ".checkpoints")
    kept = read(file.read_text())
    key, tree, signed = signing_key(path.with_suffix(".key")), Frontier(), list[str]()
    with contextlib.closing(sqlite3.connect(path, factory=SqliteConnection)) as connection, connection:
        previous = chain.GENESIS
        for row in connection.execute(f"SELECT {chain.COLUMNS} FROM events ORDER BY seq").fetchall():
            seq, at, kind, subject, actor, data = row[:6]
            if kind == "history.checkpoint":
                signed.append(checkpoints.sign(key, tree.size, tree.root(), previous, at))
                data = chain.canonical_data({"note": signed[-1], "size": tree.size})
            record = chain.link(seq, previous, at, kind, subject, actor, data.replace('"n":3', '"n":99'))
            tree.add(record.hash)
            previous = record.hash
            connection.execute("DELETE FROM events WHERE seq = ?", (seq,))
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", record)
        sign(connection, HeadSigner(key).note(tree.size, previous, chain.stamp(datetime.now(UTC))))
    file.unlink()
    add(file, signed)
    return kept


async def verify(path: Path, settings: HistorySettings, kept: list[str]) -> Verification:
    """Return what verify says beside what a witness has kept."""
    log = await SqliteHistoryStore.open(path, settings)
    try:
        return await log.verify(resume=True, witnessed=kept)
    finally:
        await log.close()


async def test_whoever_holds_the_key_is_found_by_the_witness(path: Path) -> None:
    """A history that was rewritten and signed anew is intact in itself, and not what the witness has."""
    settings = HistorySettings(batch_milliseconds=5, checkpoint_events=5)
    kept = await rewritten(path, settings)
    assert (await verify(path, settings, [])).intact
    found = await verify(path, settings, kept)
    assert (False, 5) == (found.intact, found.seq)
    assert "the first 5 records are not those that the witness has of" in found.problem


async def test_the_witness_of_an_untouched_history_agrees(path: Path) -> None:
    """What the witness has kept is counted; what it has beyond the end, or from elsewhere, is named."""
    settings = HistorySettings(batch_milliseconds=5, checkpoint_events=5)
    log = await SqliteHistoryStore.open(path, settings)
    for number in range(9):
        await log.append("history.viewed", "", ALICE, {"n": number})
    await log.close()
    kept = read(path.with_name(path.name + ".checkpoints").read_text())
    assert (True, 2, 2) == (
        (found := await verify(path, settings, kept)).intact,
        found.checkpoints,
        found.witnessed,
    )
    key = signing_key(path.with_suffix(".key"))
    longer = checkpoints.sign(key, 50, bytes(32), bytes(32), "2026-11-21T06:00:00.000000Z")
    assert (
        "record 12 was removed: the witness has 50 records"
        == (await verify(path, settings, [longer])).problem
    )
    assert "the witness has a checkpoint of 7 records from another key" == (
        (await verify(path, settings, [NOTE])).problem
    )
    assert "checkpoint 1 of the witness is none" == (await verify(path, settings, ["rubbish"])).problem


def test_what_a_witness_keeps_is_read_in_either_form(tmp_path: Path) -> None:
    """Lines as we write them, and notes one after the other with others between, are the same checkpoints."""
    add(tmp_path / "lines", [NOTE, OTHER])
    parsed = [checkpoints.parse(NOTE), checkpoints.parse(OTHER)]
    assert parsed == notes(tmp_path / "lines")
    assert [NOTE, OTHER] == read((tmp_path / "lines").read_text())
    assert [NOTE, OTHER] == read(f"{NOTE}\nreceived at noon\n{OTHER}")
    assert ["rubbish"] == read("rubbish\n\n")
