"""Everything that an engine writes is its owner's alone, whatever the umask."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from tests.engine_process import EngineProcess

CODE = "import os\nos.remove('x')\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    """Yield an engine that was started with the umask 000, in a folder that it made itself."""
    home = tmp_path / "home"
    made = EngineProcess(home, PRATIQUE_HISTORY__CHECKPOINT_EVENTS="2", XDG_DATA_HOME=str(tmp_path / "data"))
    made.set_umask(0)
    home.mkdir(mode=0o700)
    made.start()
    yield made
    made.end()


async def _use(client: Client) -> str:
    denied = await client.submit(Draft(code=Untrusted(CODE), language=Language.PYTHON))
    await client.decide(denied.submission.id, DecisionOutcome.DENIED, denied.submission.digest, "no")
    await client.secrets.set("API_TOKEN", "api.example.org", "0123456789")
    await client.sessions.create(Language.PYTHON)
    return denied.submission.id


def _command(engine: EngineProcess, *words: str) -> None:
    program = str(Path(sys.executable).with_name("pratique"))
    command = ["sh", "-c", 'umask 000; exec "$@"', "sh", program, *words]
    subprocess.run(command, env=engine.environment, cwd=engine.home.parent, check=True, timeout=60)


def test_every_file_is_private_whatever_the_umask(engine: EngineProcess, tmp_path: Path) -> None:
    """After submissions, decisions, tokens, secrets, sessions, exports and a restart: 0600 and 0700."""

    async def use() -> str:
        async with engine.client("owner") as client:
            return await _use(client)

    id = asyncio.run(use())
    _command(engine, "token", "create", "ci", "--scope", "submit")
    _command(engine, "audit", "case", id, "-o", "case.zip")
    _command(engine, "audit", "export", "", "-f", "csv", "-o", "all.csv")
    engine.end()
    engine.start()
    ours = [path for path in tmp_path.rglob("*") if path.name != "test.log"]
    wrong = {
        str(path): oct(stat.S_IMODE(path.lstat().st_mode)) for path in ours if path.lstat().st_mode & 0o077
    }
    assert {} == wrong
    names = {os.path.relpath(path, tmp_path) for path in ours}
    assert {
        "home/pratique.db",
        "home/tokens.json",
        "home/secrets.json",
        "home/run/engine.sock",
        "case.zip",
    } <= names
