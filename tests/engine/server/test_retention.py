"""What the rules of retention have erased is gone in words, with the rule, at every door."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.history.store.sql import ledger
from engine.history.store.sql.blobs import digest_of
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Artifact, OutputChunk, Status, Stream
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case
from tests.engine.history.test_history_retention import Past
from tests.engine_process import EngineProcess

RULE = "erased by retention: older than 30 days"
LEFT = b"figures"


async def fill(path: Path) -> None:
    """Write `s-old` of long ago, and let its code, output and artifact be erased; of `s-part` a part."""
    log = await SqliteHistoryStore.open(path, HistorySettings(retain_days=30))
    patch = pytest.MonkeyPatch()
    patch.setattr(ledger, "datetime", Past)
    long_ago = datetime.now(UTC) - timedelta(days=100)
    case = build_case("s-old", "print(1)", status=Status.FINISHED, exit_code=0, submitted_at=long_ago)
    await log.append("claim.created", "s-old", Untrusted("alice"), {}, case=case)
    await log.append_output("s-old", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"1\n")])
    await log.append_artifact("s-old", Artifact(name="a.csv", size=len(LEFT), digest=digest_of(LEFT)), LEFT)
    await log.append("claim.released", "s-old", Untrusted("alice"), {})
    part = build_case("s-part", "print(1)", status=Status.FINISHED, exit_code=0, submitted_at=long_ago)
    await log.append("claim.created", "s-part", Untrusted("alice"), {}, case=part)
    await log.append_output("s-part", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"1\n")])
    await log.append("claim.released", "s-part", Untrusted("alice"), {})
    patch.undo()
    await log.append_output("s-part", [OutputChunk(stream=Stream.STDOUT, at=0, offset=2, data=b"kept\n")])
    await log.append("claim.released", "s-part", Untrusted("alice"), {})
    yesterday = build_case("s-yesterday", "print(2)", submitted_at=datetime.now(UTC) - timedelta(days=2))
    await log.append("claim.created", "s-yesterday", Untrusted("alice"), {}, case=yesterday)
    assert 3 == await log.apply_retention()
    await log.close()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EngineProcess]:
    """Yield an engine over a history whose contents were erased."""
    asyncio.run(fill(tmp_path / "pratique.db"))
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    process = EngineProcess(tmp_path)
    process.start()
    yield process
    process.end()


async def asked(engine: EngineProcess) -> list[Problem]:
    """Ask for the artifact and for the output, and return what is said."""
    said = []
    async with engine.client() as client:
        for question in (client.artifact("s-old", Untrusted("a.csv")), _output(client)):
            with pytest.raises(Problem) as caught:
                await question
            said.append(caught.value)
        assert ["code", "output", "artifact"] == [one.what for one in await client.history.erasures("s-old")]
    return said


async def _output(client: Client) -> list[OutputChunk]:
    return [chunk async for chunk in client.output("s-old")]


def test_what_was_erased_is_gone_by_its_rule(
    engine: EngineProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    """The API answers 410 with the rule; `replay` and `show` say it too, and the case itself stays."""
    assert [
        (410, f"a.csv of s-old was {RULE}"),
        (410, f"the output of s-old was {RULE}"),
    ] == [(problem.status, problem.title) for problem in asyncio.run(asked(engine))]
    assert ExitCode.ERROR == main(["audit", "replay", "s-old"])
    assert f"the output of s-old was {RULE}" in capsys.readouterr().err
    assert ExitCode.OK == main(["show", "s-old"])
    assert "erased by retention: code: older than 30 days" in capsys.readouterr().err


def test_the_rest_of_an_output_says_that_part_of_it_was_erased(
    engine: EngineProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left comes with a header; `replay` and an export say it beside what they have."""
    with httpx.Client(
        transport=httpx.HTTPTransport(uds=str(engine.socket)), base_url="http://engine"
    ) as http:
        answer = http.get("/v1/runs/s-part/output")
    assert "part of the output: older than 30 days" == answer.headers["Pratique-Erased"]
    for words in (("replay", "s-part"), ("export", "s-part", "--format", "cast")):
        assert ExitCode.OK == main(["audit", *words])
        said = capsys.readouterr()
        assert "kept" in said.out
        assert "erased by retention: part of the output: older than 30 days" in said.err
