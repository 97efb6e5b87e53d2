"""`pratique secret`, and what the HTTP API says of secrets."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Grant, Language, Permissions
from tests.engine_process import EngineProcess

VALUE = "value-of-the-secret"


def secret(engine: EngineProcess, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command against the engine."""
    command = [sys.executable, "-m", "console.main", "secret", *arguments]
    return subprocess.run(
        command, env=engine.environment, input=given, capture_output=True, text=True, timeout=60, check=False
    )


async def test_a_secret_is_set_listed_and_removed(engine: EngineProcess, client: Client) -> None:
    """Its value goes in over standard input, and is nowhere in what comes out."""
    assert 0 == secret(engine, "set", "API_TOKEN", "--host", "api.example.org", given=f"{VALUE}\n").returncode
    listed = secret(engine, "list").stdout
    assert ("API_TOKEN                for api.example.org\n", False) == (listed, VALUE in listed)
    draft = Draft(
        code=Untrusted("print(1)"),
        language=Language.PYTHON,
        permissions=Permissions(secrets=(Untrusted("API_TOKEN"),)),
    )
    case = await client.submit(draft)
    id, digest, grant = case.submission.id, case.submission.digest, Grant(permissions=draft.permissions)
    with pytest.raises(Problem, match="which is not granted"):
        await client.decide(id, DecisionOutcome.APPROVED, digest, grant=grant)
    await client.decide(id, DecisionOutcome.DENIED, digest)
    assert 0 == secret(engine, "remove", "API_TOKEN").returncode
    assert () == await client.secrets.list()


async def test_a_wrong_secret_is_answered_without_its_value(client: Client) -> None:
    """An error never repeats what was given."""
    with pytest.raises(Problem) as refused:
        await client.secrets.set("API_TOKEN", "api.example.org", f"{VALUE} {VALUE}")
    assert VALUE not in str(refused.value)
