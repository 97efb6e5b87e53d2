"""`pratique key`."""

from __future__ import annotations

import json
import subprocess
import sys

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from tests.engine_process import EngineProcess


def key(engine: EngineProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command against the engine."""
    command = [sys.executable, "-m", "console.main", "key", *arguments]
    return subprocess.run(
        command, env=engine.environment, capture_output=True, text=True, timeout=60, check=False
    )


async def test_a_key_is_listed_and_revoked(engine: EngineProcess, client: Client) -> None:
    """Its reviewer is told what to do at the next decision, and can still deny."""
    draft = Draft(code=Untrusted("import os\nos.remove('x')\n"), language=Language.PYTHON)
    first, second = [(await client.submit(draft)).submission for _ in range(2)]
    await client.decide(first.id, DecisionOutcome.DENIED, first.digest)
    (one,) = [one for one in await client.keys.list() if one.removed_at is None]
    assert f"{one.key}: revoked\n" == key(engine, "revoke", one.key).stdout
    assert "removed" in key(engine, "list").stdout
    assert json.loads(key(engine, "list", "--json").stdout.splitlines()[0])["removed_at"]
    assert "no such key is registered" in key(engine, "revoke", one.key).stderr
    denied = await client.decide(second.id, DecisionOutcome.DENIED, second.digest)
    assert denied.decision is not None
    assert None is denied.decision.signature
