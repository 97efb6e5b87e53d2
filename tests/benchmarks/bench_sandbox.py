"""How fast sandboxes are, beside `docker run --runtime=runsc` in the same run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import docker
from docker.types import LogConfig

from engine.models import KillReason, Language, Result
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.row import Row, percentiles
from tests.sandboxes import IMAGES, Recorder, job, sandbox_manager

_ROUNDS = 15
_SUSTAINED = 60
_PRINT = {
    Language.PYTHON: "print(1)",
    Language.JAVASCRIPT: "console.log(1)",
    Language.SHELL: "echo 1",
}


class _Timed(Recorder):
    """A watcher that notes when the first byte came."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = time.perf_counter()
        self.first = 0.0

    async def output(self, chunk: object) -> None:
        """Note the time."""
        self.first = self.first or time.perf_counter() - self.begun


async def rows() -> list[Row]:
    """Measure everything that this room was asked for."""
    raw = await _docker_run()
    return [
        *await _warm(raw),
        await _cold(),
        await _sustained(),
        await _output(),
    ]


@contextlib.asynccontextmanager
async def _manager(pool: int, *languages: Language) -> AsyncIterator[SandboxManager]:
    manager = sandbox_manager(SandboxSettings(pool=pool), f"bench-{os.getpid()}")
    await manager.start()
    try:
        await manager.warm([(language, IMAGES[language]) for language in languages])
        yield manager
    finally:
        await manager.close()


async def _rejection(manager: SandboxManager) -> None:
    """Wait until a sandbox of each image is ready: the start of one slows the run of another."""
    while not all(
        not check.detail.text.startswith("0 of")
        for check in await manager.checks()
        if check.name.startswith("pool")
    ):
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.3)


async def _docker_run() -> list[float]:
    """Return the seconds of whole `docker run --runtime=runsc` commands that print."""
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            "docker", "run", "--rm", "--runtime=runsc", "--network=none", "--label=pratique-bench=1",
            "--entrypoint=python3", IMAGES[Language.PYTHON], "-c", "print(1)",
            stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await process.wait()
        taken.append(time.perf_counter() - begun)
    return taken


async def _warm(raw: list[float]) -> list[Row]:
    baseline = percentiles(raw)[0] * 1000
    found = []
    for language, name in (
        (Language.PYTHON, "python"),
        (Language.JAVASCRIPT, "javascript"),
        (Language.SHELL, "shell"),
    ):
        firsts, envelopes = await _warm_times(language)
        if language is Language.PYTHON:
            p50, p95, p99 = percentiles(firsts)
            passed = p50 <= 10 and p99 <= 50 and baseline >= 25 * p50
            target = "p50 10 ms, p99 50 ms, 25 x docker run"
            found.append(
                Row(
                    "warm python: run -> first byte",
                    p50,
                    p95,
                    p99,
                    "ms",
                    baseline,
                    baseline / p50,
                    target,
                    passed,
                )
            )
            p50, p95, p99 = percentiles(envelopes)
            passed = p50 <= 120 and baseline >= 3 * p50
            target = "p50 120 ms, 3 x docker run"
            found.append(
                Row(
                    "warm python: run -> envelope",
                    p50,
                    p95,
                    p99,
                    "ms",
                    baseline,
                    baseline / p50,
                    target,
                    passed,
                )
            )
        else:
            p50, p95, p99 = percentiles(firsts)
            title = f"warm {name}: run -> first byte"
            found.append(Row(title, p50, p95, p99, "ms", None, None, "p50 30 ms", p50 <= 30))
    return found


async def _warm_times(language: Language) -> tuple[list[float], list[float]]:
    firsts, envelopes = [], []
    async with _manager(1, language) as manager:
        for _ in range(_ROUNDS):
            await _rejection(manager)
            watcher = _Timed()
            await manager.run(job(_PRINT[language], language), watcher)
            envelopes.append((time.perf_counter() - watcher.begun) * 1000)
            firsts.append(watcher.first * 1000)
    return firsts, envelopes


async def _cold() -> Row:
    """Measure one and the raw one in turn: what else the machine does then falls on both."""
    ours, raw = [], []
    async with _manager(0) as manager:
        approved = await manager.image_digest(IMAGES[Language.PYTHON])
        for _ in range(_ROUNDS):
            watcher = _Timed()
            await manager.run(replace(job(_PRINT[Language.PYTHON]), image_digest=approved), watcher)
            ours.append(watcher.first * 1000)
            await watcher.until_happened("sandbox.destroyed")
            raw.append(await asyncio.to_thread(_raw_cold))
    baseline = percentiles(raw)[0]
    p50, p95, p99 = percentiles(ours)
    target = "raw create + start + attach + 20 ms"
    return Row(
        "cold python: run -> first byte",
        p50,
        p95,
        p99,
        "ms",
        baseline,
        baseline / p50,
        target,
        p50 <= baseline + 20,
    )


def _raw_cold() -> float:
    client = docker.from_env()
    try:
        begun = time.perf_counter()
        container = client.containers.create(
            IMAGES[Language.PYTHON], ["python3", "-c", "print(1)"], runtime="runsc", network_mode="none",
            log_config=LogConfig(type="none"), labels={"pratique-bench": "1"}, entrypoint=[],
        )  # fmt: skip
        stream = container.attach(stream=True, logs=False)
        container.start()
        next(iter(stream))
        taken = (time.perf_counter() - begun) * 1000
        container.remove(force=True)
        return taken
    finally:
        client.close()


async def _sustained() -> Row:
    raw = await _raw_fill()
    async with _manager(2, Language.PYTHON) as manager:
        await asyncio.sleep(3)
        begun = time.perf_counter()
        results = await asyncio.gather(*(manager.run(job("print(1)"), Recorder()) for _ in range(_SUSTAINED)))
        rate = _SUSTAINED / (time.perf_counter() - begun)
    well = all(result.kill_reason is KillReason.NONE for result in results)
    target = "4.5/s, and 90 % of raw filling"
    return Row(
        "sustained single-use runs",
        rate,
        rate,
        rate,
        "1/s",
        raw,
        rate / raw,
        target,
        well and rate >= max(4.5, 0.9 * raw),
    )


async def _raw_fill() -> float:
    """Return how many containers a second can be started and removed four at a time, without more."""
    begun = time.perf_counter()
    async with asyncio.Semaphore(1):
        await asyncio.gather(*(_in_fours() for _ in range(4)))
    return 16 / (time.perf_counter() - begun)


async def _in_fours() -> None:
    for _ in range(4):
        await asyncio.to_thread(_raw_cold)


async def _output() -> Row:
    async with _manager(0) as manager:
        code = "import sys\nfor _ in range(1600): sys.stdout.buffer.write(b'x' * 65536)"
        begun = time.perf_counter()
        result: Result = await manager.run(job(code, output_kb=200 * 1024, cpus=1.0), _Timed())
        assert result.stdout_bytes > 50_000_000, result
        rate = result.stdout_bytes / 1e6 / result.duration
        del begun
    return Row("output through the room", rate, rate, rate, "MB/s", None, None, "50 MB/s", rate >= 50)


def main() -> None:
    """Print the rows."""
    for row in asyncio.run(rows()):
        print(row)  # noqa: T201


if __name__ == "__main__":
    main()
