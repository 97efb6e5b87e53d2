"""Approved code, run through the engine's door in real gVisor."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import signal
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from engine import cli
from engine.cli import main
from engine.client.client import Client
from engine.client.sync_client import SyncClient
from engine.common.text import Untrusted, visible
from engine.models import Case, DecisionOutcome, Draft, InputFile, KillReason, Language, Status, Stream
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.sandbox

UNHURRIED = '{"medium": 900, "high": 900, "critical": 900}'
Capture = pytest.CaptureFixture[bytes]
SECRET = "the host's own"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine that has a secret in its environment."""
    home = tmp_path_factory.mktemp("home")
    process = EngineProcess(home, PRATIQUE_POLICY__DEADLINES=UNHURRIED, HOST_SECRET=SECRET)
    process.start()
    yield process
    process.end()


def draft(code: str, language: Language = Language.PYTHON, **changes: object) -> Draft:
    """Return a draft."""
    return Draft(code=Untrusted(code), language=language).model_copy(update=changes)


async def approve(client: Client, wanted: Draft) -> Case:
    """Submit and approve, and return the case as it stands then."""
    submission = (await client.submit(wanted)).submission
    return await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest)


async def output(client: Client, id: str, stream: Stream = Stream.STDOUT) -> bytes:
    """Return what a run wrote, once it is over."""
    return b"".join([chunk.data async for chunk in client.output(id) if chunk.stream is stream])


async def ended(client: Client, id: str) -> Case:
    """Return a case once its run is over."""
    async with asyncio.timeout(90), contextlib.aclosing(client.events(0)) as events:
        async for event in events:
            if event.subject == id and event.type == "run.ended":
                return await client.case(id)
    raise AssertionError("it never ended")


def test_the_command_line_prints_what_a_run_that_is_over_printed_and_how_it_ended(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tail` prints all of it once, however late it is typed; `show` says who approved and how it ended."""

    async def finished() -> str:
        async with engine.client("agent") as client:
            case = await approve(client, draft("print('the first')\nprint('the last')"))
            return (await ended(client, case.submission.id)).submission.id

    id = asyncio.run(finished())
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    assert 0 == cli.main(["tail", id])
    told = capsys.readouterr()
    assert "the first\nthe last\n" == told.out
    assert told.err.startswith("exit 0, ")
    assert 0 == cli.main(["show", id])
    shown = capsys.readouterr().out
    assert "finished, approved by " in shown
    assert "It ended: exit 0, " in shown


LANGUAGES = [
    (b"42\n", "print(6 * 7)", Language.PYTHON),
    (b"42\n", "console.log(6 * 7)", Language.JAVASCRIPT),
    (b"42\n", "echo $((6 * 7))", Language.SHELL),
]


@pytest.mark.parametrize(("written", "code", "language"), LANGUAGES)
async def test_each_language_runs(
    engine: EngineProcess, written: bytes, code: str, language: Language
) -> None:
    """Approved Python, JavaScript and shell run, and what they write comes back byte for byte."""
    async with engine.client() as client:
        case = await approve(client, draft(code, language))
        assert written == await output(client, case.submission.id)
        over = await ended(client, case.submission.id)
        assert over.result is not None
        assert (Status.FINISHED, 0, KillReason.NONE) == (
            over.status,
            over.result.exit_code,
            over.result.kill_reason,
        )
        assert over.result.image_digest


async def test_the_guest_sees_nothing_of_the_host(engine: EngineProcess) -> None:
    """Neither the host's environment nor its files are in the sandbox, and its kernel is gVisor's."""
    spy = f"""
import os, pathlib, platform
seen = dict(os.environ)
for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
    try:
        seen[str(path)] = path.read_bytes()
    except OSError:
        pass
assert {SECRET!r} not in repr(seen), seen
assert not pathlib.Path({str(engine.home)!r}).exists()
assert not pathlib.Path("/var/run/docker.sock").exists()
print(platform.release())
"""
    async with engine.client() as client:
        case = await approve(client, draft(spy))
        written = await output(client, case.submission.id)
        assert b"" == await output(client, case.submission.id, Stream.STDERR)
        health = await client.health()
        assert health.proof is not None
        assert health.proof.kernel.text == written.decode().strip()


async def test_an_input_file_is_there_and_no_other(engine: EngineProcess) -> None:
    """A file that was handed in is in the workspace, whole."""
    content = bytes(range(256)) * 100
    files = (InputFile(name=Untrusted("data.bin"), content=content),)
    code = "import hashlib, os; print(hashlib.sha256(open('data.bin','rb').read()).hexdigest(), os.listdir())"
    async with engine.client() as client:
        case = await approve(client, draft(code, files=files))
        written = (await output(client, case.submission.id)).decode()
    assert f"{hashlib.sha256(content).hexdigest()} ['data.bin']\n" == written


async def test_an_operator_kills_a_run(engine: EngineProcess) -> None:
    """A killed run ends as killed by an operator, with what it wrote until then."""
    async with engine.client() as client:
        case = await approve(client, draft("print('on', flush=True)\nwhile True: pass"))
        async with contextlib.aclosing(client.output(case.submission.id)) as written:
            assert b"on\n" == (await anext(written)).data
        await client.kill(case.submission.id)
        over = await ended(client, case.submission.id)
    assert over.result is not None
    assert (Status.KILLED, KillReason.OPERATOR) == (over.status, over.result.kill_reason)


HOSTILE = "\x1b[31m\u202etxt"
BUSY = f"""
import os, time
open("plain", "wb").write(bytes(range(256)))
open({HOSTILE!r}, "w").write("hostile")
os.symlink("/etc/hostname", "link")
os.mkfifo("pipe")
print("on", flush=True)
time.sleep(600)
"""


def test_files_are_had_while_the_run_goes_on_and_afterwards(
    engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfdbinary: Capture
) -> None:
    """They are listed without an escape, fetched whole, and written into new files; links never are."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    with SyncClient(engine.socket) as client:
        submission = client.submit(draft(BUSY)).submission
        id, aside = submission.id, tmp_path / "aside"
        assert 5 == main(["files", id])
        assert b"is not running" in capfdbinary.readouterr().err
        client.decide(id, DecisionOutcome.APPROVED, submission.digest)
        with contextlib.closing(client.output(id)) as written:
            assert b"on\n" == next(written).data
        for over in (False, True):
            assert 0 == main(["files", id])
            said = capfdbinary.readouterr().out.decode()
            assert ["256  plain", f"7  {visible(HOSTILE)}"] == sorted(
                line.strip() for line in said.splitlines()
            )
            assert [0, 0] == [main(["fetch", id, "plain"]), main(["fetch", id, visible(HOSTILE)])]
            assert bytes(range(256)) + b"hostile" == capfdbinary.readouterr().out
            assert [0, 5] == [main(["fetch", id, "plain", "-o", f"{aside}{over}"]) for _ in range(2)]
            assert bytes(range(256)) == Path(f"{aside}{over}").read_bytes()
            assert [5] * 4 == [
                main(["fetch", id, name]) for name in ("link", "pipe", "../etc/passwd", "\udcff")
            ]
            if not over:
                client.stop(id)
            assert client.case(id, within=60).result is not None
            capfdbinary.readouterr()


SLOW = """
import time
print("on", flush=True)
time.sleep(1)
print("and on", flush=True)
time.sleep(25)
"""


async def test_a_killed_engine_leaves_no_sandbox_after_the_next_start(home: Path) -> None:
    """`kill -9` in the middle of a run: the next start closes it as interrupted and removes its container."""
    process = EngineProcess(home, PRATIQUE_POLICY__DEADLINES=UNHURRIED)
    process.start()
    async with process.client() as client:
        case = await approve(client, draft(SLOW))
        async with contextlib.aclosing(client.output(case.submission.id)) as written:
            assert [b"on\n", b"and on\n"] == [(await anext(written)).data for _ in range(2)]
    assert containers(process)
    process.end(signal.SIGKILL)
    process.start()
    try:
        async with process.client() as client:
            over = await ended(client, case.submission.id)
            assert over.result is not None
            assert (Status.KILLED, KillReason.INTERRUPTED) == (over.status, over.result.kill_reason)
            assert (await client.history.verify()).intact
            assert (await output(client, case.submission.id)).startswith(b"on\n")
    finally:
        process.end()
    assert [] == containers(process)


def containers(process: EngineProcess) -> list[str]:
    """Return the containers that carry an engine's name."""
    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": f"pratique.engine={process.name}"})
        return [container["Id"] for container in found]
    finally:
        client.close()


async def test_without_gvisor_nothing_is_approved(home: Path) -> None:
    """With a runtime that is not gVisor's there is no proof, and an approval is refused in words."""
    process = EngineProcess(home, PRATIQUE_SANDBOX__RUNTIME="runc")
    process.start()
    try:
        async with process.client() as client:
            assert not (await client.health(settled_within=25)).can_run
            submission = (await client.submit(draft("print(1)"))).submission
            with pytest.raises(Exception, match="gVisor is not proven"):
                await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest)
            assert Status.PENDING is (await client.case(submission.id)).status
    finally:
        process.end()
