"""What is HIGH is approved with the record of what displayed it: a terminal, or the reviewer's statement."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from engine.common.text import Untrusted
from engine.models import Case, Draft, Language, ShownBy, Status, TriageOutcome
from tests.engine_process import WITHOUT_RECORD, EngineProcess

TRIAGED = ("--triage", "all=accepted")
PROGRAM = [sys.executable, "-c", "import sys; from engine.cli import main; sys.exit(main(sys.argv[1:]))"]
CODE = "import sys\nexec(sys.argv[1])\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine with the default settings, and time to decide."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        **{WITHOUT_RECORD: "true", "PRATIQUE_POLICY__DEADLINES": '{"high": 600, "critical": 600}'},
    )
    process.start()
    yield process
    process.end()


@pytest.fixture
async def case(engine: EngineProcess) -> Case:
    """Return a case that waits, with a violation of HIGH."""
    async with engine.client("agent") as client:
        return await client.submit(Draft(code=Untrusted(CODE), language=Language.PYTHON))


def approve(engine: EngineProcess, case: Case, *more: str) -> list[str]:
    """Return the command that approves a case."""
    return [*PROGRAM, "approve", case.submission.id, "--digest", case.submission.digest[:12], *more]


async def status(engine: EngineProcess, case: Case) -> Status:
    """Return the status of a case now."""
    async with engine.client() as client:
        return (await client.case(case.submission.id)).status


@pytest.mark.parametrize(
    "more", [(), ("--json",), ("--triage", "all=accepted"), ("--json", "--triage", "all=accepted")]
)
async def test_where_nobody_reads_nothing_is_approved(
    engine: EngineProcess, case: Case, more: tuple[str, ...]
) -> None:
    """Without a terminal a script cannot say that it displayed what it approves."""
    command = approve(engine, case, *more)
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        env=engine.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert 0 != done.returncode
    assert b"nobody was shown" in done.stdout + done.stderr
    assert b"--reviewed" in done.stdout + done.stderr
    assert Status.PENDING is await status(engine, case)


ALL: dict[str, object] = {"seconds": 1, "lines": [[1, 2]], "violations": [0, 1, 2, 3]}
BODIES: dict[str, dict[str, object]] = {
    "no-record": {},
    "null": {"review_record": None},
    "empty": {"review_record": {"seconds": 1}},
    "nobody-displayed-it": {"review_record": ALL},
    "no-triage": {"review_record": ALL | {"shown_by": "stated"}},
    "one-line": {"review_record": {"seconds": 1, "lines": [[1, 1]], "shown_by": "console"}},
    "no-violations": {"review_record": {"seconds": 1, "lines": [[1, 2]], "shown_by": "console"}},
    "unknown": {"review_record": {"seconds": 1, "lines": [[1, 2]], "shown_by": "me"}},
    "negative": {"review_record": {"seconds": 1, "lines": [[-5, 2]], "shown_by": "console"}},
    "backwards": {"review_record": {"seconds": 1, "lines": [[2, 1]], "shown_by": "console"}},
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_over_http_nothing_is_approved_without_the_record(
    engine: EngineProcess, case: Case, body: dict[str, object]
) -> None:
    """The default settings ask every client for it, and for all of it."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    decision = {"outcome": "approved", "digest": case.submission.digest} | body
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        answer = await http.post(f"/v1/submissions/{case.submission.id}/decision", json=decision)
    assert answer.status_code in {409, 422}
    assert Status.PENDING is await status(engine, case)


@pytest.mark.sandbox
async def test_a_reviewer_may_state_a_review_elsewhere(engine: EngineProcess, case: Case) -> None:
    """The decision says that it was stated, and nothing of Pratique's displayed it."""
    command = approve(engine, case, "--json", "--reviewed", "--triage", "all=mitigated")
    done = await asyncio.to_thread(
        subprocess.run, command, env=engine.environment, capture_output=True, timeout=120
    )
    assert 0 == done.returncode, done
    async with engine.client() as client:
        decision = (await client.case(case.submission.id)).decision
    assert decision is not None
    assert decision.review_record is not None
    assert ShownBy.STATED is decision.review_record.shown_by


def on_terminal(command: list[str], environment: dict[str, str], answers: bytes) -> bytes:
    """Return what a command writes to a terminal on which a person types."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.write(master, answers)
    written = b""
    with contextlib.suppress(OSError):
        while part := os.read(master, 65536):
            written += part
    process.wait(60)
    os.close(master)
    return written


@pytest.mark.sandbox
async def test_on_a_terminal_it_is_displayed_and_asked(engine: EngineProcess, case: Case) -> None:
    """Code and violations are printed, grave violations are asked about, the record says a terminal."""
    grave = sum(violation.severity.rank >= 2 for violation in case.analysis.violations)
    answers = b"accepted\n" * grave + b"y\n"
    written = await asyncio.to_thread(on_terminal, approve(engine, case), engine.environment, answers)
    assert b"exec(sys.argv[1])" in written
    async with engine.client() as client:
        decision = (await client.case(case.submission.id)).decision
    assert decision is not None, written
    assert decision.review_record is not None
    record = decision.review_record
    assert (ShownBy.TERMINAL, [TriageOutcome.ACCEPTED] * grave) == (
        record.shown_by,
        [each.outcome for each in record.triage],
    )


async def test_on_a_terminal_no_is_no(engine: EngineProcess, case: Case) -> None:
    """An answer that is not yes approves nothing."""
    grave = sum(violation.severity.rank >= 2 for violation in case.analysis.violations)
    answers = b"accepted\n" * grave + b"n\n"
    await asyncio.to_thread(on_terminal, approve(engine, case), engine.environment, answers)
    assert Status.PENDING is await status(engine, case)
