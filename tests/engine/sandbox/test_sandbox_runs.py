"""Runs in real gVisor sandboxes: input, output, limits and kill reasons."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.models import KillReason, Language, Limits, Meters, OutputChunk
from engine.sandbox import Job, SandboxUnavailable, StartPermit, StartRequest
from engine.sandbox.api.file_names import safe_name
from engine.sandbox.run import execution
from engine.sandbox.run.manager import SandboxManager
from engine.sandbox.run.output import ARTIFACT_BYTES
from engine.settings import SandboxSettings
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-runs"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager with one ready Python sandbox."""
    manager = sandbox_manager(SandboxSettings(pool=1, grace_seconds=0.5), ENGINE)
    await manager.start()
    await manager.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def test_isolation_is_proved_from_inside(manager: SandboxManager) -> None:
    """The kernel that the guest sees is gVisor's, and Health reports it."""
    assert manager.proof is not None
    assert manager.proof.isolated
    assert "gVisor" in manager.proof.detail.text
    assert [] == [check for check in await manager.checks() if not check.ok]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (Language.PYTHON, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"),
        (Language.JAVASCRIPT, "console.log('out'); console.error('err'); process.exitCode = 3"),
        (Language.SHELL, "echo out; echo err >&2; exit 3"),
    ],
)
async def test_each_language_returns_streams_and_exit_code(
    manager: SandboxManager, language: Language, code: str
) -> None:
    """Both streams and the exit code are returned; a failure of the program is not a kill."""
    watcher = Recorder()
    result = await manager.run(job(code, language), watcher)
    assert (b"out\n", b"err\n") == (watcher.stdout, watcher.stderr)
    assert (3, KillReason.NONE, False) == (result.exit_code, result.kill_reason, result.truncated)
    assert (4, 4, "runsc") == (result.stdout_bytes, result.stderr_bytes, result.runtime)
    await watcher.until_happened("sandbox.destroyed")
    assert ["run.started", "sandbox.destroyed"] == watcher.types[1:]


class _Slow(Recorder):
    """A watcher whose disk is slow, and may fail."""

    def __init__(self, fault: OSError | None = None) -> None:
        super().__init__()
        self.on_disk = 0.0
        self._fault = fault
        self._enough = asyncio.Event()

    def meters(self, sample: Meters) -> None:
        """Let the disk finish after three samples."""
        super().meters(sample)
        if len(self.samples) >= 3:
            self._enough.set()

    async def permit(self, request: StartRequest) -> StartPermit:
        """Record the start of the run, late."""
        async with asyncio.timeout(60):
            await self._enough.wait()
        if self._fault:
            raise self._fault
        self.on_disk = time.time()
        return await super().permit(request)


@pytest.mark.parametrize("session", ["", "b-slow"])
async def test_no_code_starts_before_its_start_is_on_disk(manager: SandboxManager, session: str) -> None:
    """The code is sent except its last byte; it runs only after the start is recorded."""
    watcher, code = _Slow(), "date +%s.%N"
    result = await manager.run(replace(job(code, Language.SHELL), session=session), watcher)
    assert KillReason.NONE == result.kill_reason
    assert watcher.on_disk - 0.05 < float(watcher.stdout)
    assert result.duration < time.time() - watcher.on_disk + 0.05


async def test_code_whose_start_cannot_be_recorded_never_starts(manager: SandboxManager) -> None:
    """The error reaches the caller, there is no output, and the sandbox is removed."""
    watcher = _Slow(OSError("the disk is full"))
    with pytest.raises(OSError, match="the disk is full"):
        await manager.run(job("print('started')"), watcher)
    await watcher.until_happened("sandbox.destroyed")
    assert b"" == watcher.stdout


async def test_output_is_byte_exact(manager: SandboxManager) -> None:
    """Every byte value is returned, also without a final newline and with nulls that could start a mark."""
    watcher = Recorder()
    code = "import sys\nfor _ in range(40): sys.stdout.buffer.write(bytes(range(256)) * 64 + b'\\0')"
    await manager.run(job(code), watcher)
    assert (bytes(range(256)) * 64 + b"\0") * 40 == watcher.stdout
    assert sorted(chunk.offset for chunk in watcher.chunks) == [chunk.offset for chunk in watcher.chunks]


async def test_a_traceback_shows_the_users_own_frames(manager: SandboxManager) -> None:
    """It has file, line and source of the code, and nothing of the runner."""
    watcher = Recorder()
    result = await manager.run(job("def f():\n    return 1 / 0\nf()\n"), watcher)
    assert 1 == result.exit_code
    assert b'File "main.py", line 2, in f\n    return 1 / 0' in watcher.stderr
    assert b"runner" not in watcher.stderr


@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "byte order mark"])
async def test_the_analysed_text_is_compiled(manager: SandboxManager, start: str) -> None:
    """An encoding declaration does not change what the code means, and a byte order mark is accepted."""
    watcher = Recorder()
    result = await manager.run(job(f'{start}# coding: utf-7\nprint("+AGE-")'), watcher)
    assert (b"+AGE-\n", 0) == (watcher.stdout, result.exit_code), watcher.stderr


async def test_code_runs_as_the_main_program(manager: SandboxManager) -> None:
    """Name, arguments, working directory and standard input are those of a script."""
    watcher = Recorder()
    code = "import os, sys; print(__name__, sys.argv, os.getcwd(), repr(sys.stdin.read()), os.getuid())"
    await manager.run(job(code), watcher)
    assert b"__main__ ['main.py'] /workspace '' 1000\n" == watcher.stdout


async def test_input_files_and_artifacts() -> None:
    """Input files are in the workspace before the code starts; new and changed files are returned."""
    watcher = Recorder()
    manager = sandbox_manager(SandboxSettings(pool=0), "test-files", watcher)
    code = (
        "import os\nprint(open('d/in.csv').read())\nopen('out.bin', 'wb').write(bytes(1000))\n"
        "os.symlink('/etc/passwd', 'link'); os.mkfifo('pipe'); os.link('same', 'd/hard')"
    )
    try:
        result = await manager.run(job(code, files={"d/in.csv": b"1,2", "same": b"s"}), watcher)
    finally:
        await manager.close()
    assert (b"1,2\n", 0) == (watcher.stdout, result.exit_code)
    assert {"out.bin": bytes(1000), "d/hard": b"s"} == watcher.files
    digests = {artifact.name.text: artifact.digest for artifact in result.artifacts}
    assert hashlib.sha256(bytes(1000)).hexdigest() == digests["out.bin"]


async def test_a_file_name_outside_the_workspace_stops_the_run(manager: SandboxManager) -> None:
    """Nothing starts, and the result says why."""
    result = await manager.run(job("print(1)", files={"../x": b""}), Recorder())
    assert (KillReason.POLICY, None) == (result.kill_reason, result.exit_code)


# --- limits, each exceeded

PYTHON, SHELL, NODE = Language.PYTHON, Language.SHELL, Language.JAVASCRIPT
IGNORE_TERM = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


@pytest.mark.parametrize(
    ("reason", "started_job"),
    [
        (KillReason.TIMEOUT, job("while True: pass", seconds=1)),
        (KillReason.TIMEOUT, job(IGNORE_TERM + "while True: pass", seconds=1)),
        (KillReason.TIMEOUT, job("while :; do sleep 9; done", SHELL, seconds=1)),
        (KillReason.TIMEOUT, job("for (;;) {}", NODE, seconds=1)),
        (KillReason.MEMORY, job("x = []\nwhile True: x.append(b'x' * 10**7)", memory_mb=128)),
        (KillReason.MEMORY, job("const x=[]; for(;;) x.push(Buffer.alloc(1e7, 1))", NODE, memory_mb=192)),
        (KillReason.MEMORY, job("x=x; while :; do x=$x$x; done", SHELL, memory_mb=128)),
        (KillReason.OUTPUT, job("while True: print('x' * 1000)", output_kb=64)),
        (KillReason.OUTPUT, job("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxx >&2; done", SHELL, output_kb=8)),
        (KillReason.DISK, job("open('a', 'wb').write(bytes(10**8))", disk_mb=8)),
        (
            KillReason.DISK,
            job("i = 0\nwhile True: i += 1; open(f'/tmp/{i}', 'w').write('x' * 9999)", disk_mb=8),
        ),
        (
            KillReason.PROCESSES,
            job("import os, time\nwhile True:\n if not os.fork(): time.sleep(99)", processes=16),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else value.code[:24].decode().replace("\n", " "),
)
async def test_a_limit_ends_the_run(manager: SandboxManager, reason: KillReason, started_job: Job) -> None:
    """A run that exceeds a limit ends for that reason, with evidence and an event."""
    watcher = Recorder()
    result = await manager.run(started_job, watcher)
    assert (reason, True) == (result.kill_reason, bool(result.evidence)), result.evidence
    assert "run.killed" in watcher.types
    limits, batch = (
        started_job.limits,
        256 * 1024,
    )  # the kernel may charge a batch of pages before it refuses one
    assert limits.memory_mb * 2**20 + batch >= result.memory_peak
    assert limits.output_kb * 1024 >= result.stdout_bytes + result.stderr_bytes


@pytest.mark.parametrize("files", [{"big": bytes(3 << 20)}, {"a": b"", "a/b": b""}, {"a": b"1", "./a": b"2"}])
async def test_input_that_does_not_fit_stops_the_run(
    manager: SandboxManager, files: dict[str, bytes]
) -> None:
    """Files larger than the disk, or with conflicting names, stop the run before its code starts."""
    watcher = Recorder()
    result = await manager.run(job("print(1)", files=files, disk_mb=2), watcher)
    assert result.kill_reason in {KillReason.DISK, KillReason.POLICY}
    assert (b"", True) == (watcher.stdout, any("file" in sentence for sentence in result.evidence))


async def test_output_over_the_limit_is_truncated(manager: SandboxManager) -> None:
    """A program that writes slightly too much ends normally; the beginning is kept, and an event says so."""
    watcher = Recorder()
    result = await manager.run(job("print('x' * 1500, end='')", output_kb=1), watcher)
    assert (b"x" * 1024, True, KillReason.NONE) == (watcher.stdout, result.truncated, result.kill_reason)
    assert "run.output_truncated" in watcher.types


async def test_the_quota_holds_for_all_processes_together(manager: SandboxManager) -> None:
    """Four busy processes together get half a core in each second."""
    watcher = Recorder()
    code = "import os, time\nend = time.time() + 3\nos.fork(); os.fork()\nwhile time.time() < end: pass"
    await manager.run(job(code, cpus=0.5), watcher)
    seconds = list(cores_over(watcher.samples, 1.0))
    assert seconds
    assert 0.5 * 1.5 >= max(seconds)


async def test_the_start_of_a_sandbox_is_not_counted(manager: SandboxManager) -> None:
    """A program that only sleeps used almost no CPU, whatever its interpreter took to start."""
    result = await manager.run(job("import time\ntime.sleep(1)"), Recorder())
    assert result.duration / 4 > result.cpu_seconds


def cores_over(samples: list[Meters], least: float) -> Iterator[float]:
    """Return the cores used from each sample to the first one at least so many seconds later."""
    for index, first in enumerate(samples):
        used, before = 0.0, first.at
        for sample in samples[index + 1 :]:
            used, before = used + sample.cpu * (sample.at - before), sample.at
            if sample.at - first.at >= least:
                yield used / (sample.at - first.at)
                break


async def test_open_files_are_bounded(manager: SandboxManager) -> None:
    """A program can open at most 1024 files, and one more after closing one."""
    watcher = Recorder()
    code = (
        "import os\nfiles = []\ntry:\n    while True: files.append(os.dup(1))\n"
        "except OSError as error: why = error.errno\n"
        "for file in files: os.close(file)\nprint(why, len(files) < 1024, os.dup(1) > 0)"
    )
    await manager.run(job(code), watcher)
    assert f"{errno.EMFILE} True True\n".encode() == watcher.stdout


async def test_sparse_files_do_not_fill_the_host(manager: SandboxManager) -> None:
    """Files beyond the size limit of artifacts are left in the sandbox, and the evidence counts them."""
    code = (
        "open('huge', 'wb').truncate(900 << 20)\n"
        "for n in range(50): open(f'{n}.hole', 'wb').truncate(1 << 20)"
    )
    result = await manager.run(job(code), Recorder())
    names = {artifact.name.text for artifact in result.artifacts}
    assert "huge" not in names
    assert 0 < sum(artifact.size for artifact in result.artifacts) <= ARTIFACT_BYTES
    assert f"{51 - len(names)} files were left in the sandbox" in result.evidence


async def test_file_names_of_the_guest_are_bounded(manager: SandboxManager) -> None:
    """Invalid text, control characters, long and deep names: bounded, and none leaves the workspace."""
    code = (
        "import os\n"
        "for name in (b'bad\\xff', b'esc\\x1b[2J', b'line\\nend', b'rtl\\xe2\\x80\\xae', b'l' * 255):\n"
        "    open(name, 'w').close()\n"
        "os.makedirs('/'.join('d' * 20)); open('/'.join('d' * 20) + '/deep', 'w').close()\n"
        "for n in range(400): open(f'n{n}', 'w').close()"
    )
    result = await manager.run(job(code), Recorder())
    assert KillReason.NONE == result.kill_reason
    assert 0 < len(result.artifacts) <= 256
    assert all(safe_name(artifact.name) for artifact in result.artifacts)
    assert any("files were left in the sandbox" in sentence for sentence in result.evidence)


async def test_a_term_handler_may_clean_up(manager: SandboxManager, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline sends TERM first; output during the grace period is kept."""
    monkeypatch.setattr(manager, "settings", SandboxSettings(pool=1, grace_seconds=20))
    watcher = Recorder()
    code = (
        "import signal, sys, time\n"
        "def bye(*_): print('bye'); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, bye)\nprint('up')\ntime.sleep(99)"
    )
    result = await manager.run(job(code, seconds=1), watcher)
    assert (b"up\nbye\n", KillReason.TIMEOUT, 0) == (watcher.stdout, result.kill_reason, result.exit_code)


# --- the operator


async def test_the_operator_ends_a_run(manager: SandboxManager) -> None:
    """A kill takes effect at once, and the evidence names the operator."""
    watcher, started_job = Recorder(), job("print('up')\nwhile True: pass")
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"up")
    await manager.kill(started_job.run, "ada")
    result = await running
    assert KillReason.OPERATOR == result.kill_reason
    assert "ended by the engine: operator, requested by ada" in result.evidence


async def test_a_paused_run_makes_no_progress(manager: SandboxManager) -> None:
    """While paused it uses no CPU and its deadline is suspended; resumed, it runs to its end."""
    watcher, started_job = (
        Recorder(),
        job("import time\nprint('up')\ntime.sleep(0.5)\nprint('end')", seconds=2),
    )
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"up")
    assert await manager.pause(started_job.run)
    done, _ = await asyncio.wait({running}, timeout=3)
    assert set() == done
    assert await manager.resume(started_job.run)
    assert KillReason.NONE == (await running).kill_reason
    assert b"up\nend\n" == watcher.stdout


async def test_meters_come_five_times_a_second(manager: SandboxManager) -> None:
    """CPU, memory and peak are sampled during the run."""
    watcher = Recorder()
    code = "x = bytearray(50_000_000)\nimport time\nend = time.time() + 2\nwhile time.time() < end: pass"
    result = await manager.run(job(code, cpus=0.5), watcher)
    assert 5 * 2 <= len(watcher.samples)
    assert 0 < max(sample.cpu for sample in watcher.samples)
    assert 50_000_000 < max(sample.memory for sample in watcher.samples)
    assert max(sample.memory_peak for sample in watcher.samples) <= result.memory_peak


async def test_a_cancelled_run_leaves_nothing(manager: SandboxManager) -> None:
    """The sandbox of a cancelled run is removed."""
    watcher, started_job = Recorder(), job("print('up')\nwhile True: pass")
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"up")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    destroyed = await watcher.until_happened("sandbox.destroyed")
    assert destroyed["sandbox"] not in containers_of(ENGINE)


async def test_a_queued_run_can_be_stopped(manager: SandboxManager) -> None:
    """A run that waits for a slot ends without a sandbox."""
    alone = sandbox_manager(SandboxSettings(pool=0, concurrent=1), "test-waiting")
    first, second, watcher = job("print('up')\nwhile True: pass"), job("print(1)"), Recorder()
    running = asyncio.create_task(alone.run(first, watcher))
    try:
        await watcher.until_said(b"up")
        queued = Recorder()
        pending = asyncio.create_task(alone.run(second, queued))
        event = await queued.until_happened("run.queued")
        assert (1, True) == (event["position"], event["seconds"] > 0)
        await alone.stop(second.run, "ada")
        assert KillReason.OPERATOR == (await pending).kill_reason
    finally:
        await alone.close()
    assert KillReason.INTERRUPTED == (await running).kill_reason


async def test_two_runs_never_share_a_sandbox(manager: SandboxManager) -> None:
    """Files that one run writes in any writable folder are not there for the next."""
    code = (
        "import os\n"
        "for p in ('/workspace', '/tmp', '/dev/shm'):\n"
        "    print(sorted(os.listdir(p)))\n    open(p + '/mine', 'w').write('x')"
    )
    watchers = [Recorder() for _ in range(3)]
    results = [await manager.run(job(code), watcher) for watcher in watchers]
    assert [b"[]\n[]\n[]\n"] * 3 == [watcher.stdout for watcher in watchers]
    sandboxes = {dict(watcher.events)["run.started"]["sandbox"] for watcher in watchers}
    assert (3, [0, 0, 0]) == (len(sandboxes), [result.exit_code for result in results])


async def test_many_runs_wait_for_slots(manager: SandboxManager) -> None:
    """Thirty runs end normally, within the limit of concurrent sandboxes."""
    watchers = [Recorder() for _ in range(30)]
    jobs = [job(f"print({number})") for number in range(30)]
    results = await asyncio.gather(*(map(manager.run, jobs, watchers)))
    assert {KillReason.NONE} == {result.kill_reason for result in results}
    assert [f"{number}\n".encode() for number in range(30)] == [watcher.stdout for watcher in watchers]


async def test_a_burst_starts_no_more_than_the_limit(manager: SandboxManager) -> None:
    """Of two hundred runs by four principals two run, and the others get a position; none fails."""
    manager_of_burst = sandbox_manager(SandboxSettings(pool=0, concurrent=2), "test-burst")
    burst = [replace(job("print('up')\nwhile True: pass"), principal=f"a{n % 4}") for n in range(200)]
    watchers = [Recorder() for _ in burst]
    runs = [asyncio.create_task(manager_of_burst.run(*pair)) for pair in zip(burst, watchers, strict=True)]
    try:
        await asyncio.gather(*(watcher.until_said(b"up") for watcher in watchers[:2]))
        await asyncio.gather(*(watcher.until_happened("run.queued") for watcher in watchers[2:]))
        assert 2 == len(containers_of("test-burst"))
        assert not any(run.done() for run in runs)
    finally:
        await manager_of_burst.close()
    assert {KillReason.INTERRUPTED} == {run.kill_reason for run in await asyncio.gather(*runs)}
    assert [] == containers_of("test-burst")


async def test_limits_of_the_grant_reach_a_ready_sandbox(manager: SandboxManager) -> None:
    """A sandbox from the pool has the granted memory, not the default."""
    watcher = Recorder()
    result = await manager.run(job("x = b'x' * 700_000_000\nprint(len(x))", memory_mb=1024), watcher)
    assert (b"700000000\n", KillReason.NONE) == (watcher.stdout, result.kill_reason)
    assert Limits().memory_mb * 2**20 < result.memory_peak


class Stuck(Recorder):
    """A watcher that blocks after one chunk."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()

    async def output(self, chunk: OutputChunk) -> None:
        """Wait before taking it."""
        await super().output(chunk)
        await self.free.wait()


async def test_a_slow_watcher_blocks_the_guest(manager: SandboxManager) -> None:
    """The guest waits for the watcher: nothing is buffered without bound, and nothing is lost."""
    watcher = Stuck()
    code = "import sys\nfor _ in range(320): sys.stdout.write('x' * 99_999 + '\\n')\nprint('end')"
    started_job = job(code, output_kb=64 * 1024, seconds=60)
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"x")
    done, _ = await asyncio.wait({running}, timeout=2)
    assert (set(), 1) == (done, len(watcher.chunks))
    watcher.free.set()
    result = await running
    assert (320 * 100_000 + 4, True) == (result.stdout_bytes, watcher.stdout.endswith(b"end\n"))


async def test_a_blocked_watcher_does_not_prevent_a_kill(manager: SandboxManager) -> None:
    """The operator can end a run whose watcher hangs."""
    watcher, started_job = Stuck(), job("while True: print('up')")
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"up")
    await manager.kill(started_job.run, "ada")
    async with asyncio.timeout(10):
        assert KillReason.OPERATOR == (await running).kill_reason


async def test_a_pause_longer_than_the_supervisors_deadline_ends_nothing(manager: SandboxManager) -> None:
    """Time during a pause does not count for the supervisor's deadline."""
    code = (
        "import time\nlast = time.monotonic()\nprint('up')\n"
        "while time.monotonic() - last < 2:\n    last = time.monotonic()\n    time.sleep(.01)"
    )
    watcher, started_job = Recorder(), job(code, seconds=5)
    manager_guard = execution._GUARD_SECONDS
    execution._GUARD_SECONDS = 0
    running = asyncio.create_task(manager.run(started_job, watcher))
    try:
        await watcher.until_said(b"up")
        assert await manager.pause(started_job.run)
        await asyncio.wait({running}, timeout=6)
        assert await manager.resume(started_job.run)
        assert KillReason.NONE == (await running).kill_reason
    finally:
        execution._GUARD_SECONDS = manager_guard


async def test_a_plot_becomes_an_artifact(manager: SandboxManager) -> None:
    """In the data image, code reads a table and draws a picture, which is returned."""
    code = (
        "import pandas as pd, matplotlib.pyplot as plt\n"
        "table = pd.read_csv('in.csv')\nprint(table.b.sum())\ntable.plot(); plt.savefig('plot.png')"
    )
    watcher = Recorder()
    started_job = job(code, image="pratique/python-data", files={"in.csv": b"a,b\n1,2\n3,4\n"}, seconds=60)
    result = await manager.run(started_job, watcher)
    assert (b"6\n", KillReason.NONE) == (watcher.stdout, result.kill_reason), watcher.stderr
    assert ["plot.png"] == [artifact.name.text for artifact in result.artifacts]


_LEAVES = """
import os, time
open('a.txt', 'w').write('one')
os.mkdir('d')
open('d/b', 'w').write('two')
os.symlink('/etc/passwd', 'l')
os.mkfifo('p')
print('up', flush=True)
time.sleep(60)
"""


async def test_files_are_listed_and_fetched_during_the_run(manager: SandboxManager) -> None:
    """Only files of the workspace; links are not followed, and pipes are not read."""
    watcher, started_job = Recorder(), job(_LEAVES, seconds=60)
    running = asyncio.create_task(manager.run(started_job, watcher))
    await watcher.until_said(b"up")
    async with asyncio.timeout(60):
        found = await manager.files(started_job.run)
        assert {("a.txt", 3), ("d/b", 3)} == {(file.name.text, file.size) for file in found}
        assert b"two" == await manager.file(started_job.run, "d/b")
        for name in ("l", "p", "d", "none", "../etc/passwd", "/etc/passwd"):
            assert await manager.file(started_job.run, name) is None
    await manager.kill(started_job.run, "ada")
    assert KillReason.OPERATOR == (await running).kill_reason
    with pytest.raises(SandboxUnavailable, match="it is not running"):
        await manager.files(started_job.run)
