"""`python -m tests.ecosystem.bench_peers [ROUNDS]`: the same snippets through Pratique and its peers.

The runs are interleaved. All use one local image and what each does by default. Prints a table in Markdown. A
peer that breaks, loses output or exceeds the time of a measurement is named in its cell; the others go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path

import pytest

from tests.benchmarks.bench_server import ROOM
from tests.ecosystem.peers import CannotBeHad, ForeignSandbox, Peer, PlainDocker, Pratique, Timing
from tests.engine_process import EngineProcess

ROUNDS = 20
AT_ONCE = 8
IN_A_ROW = 50
START_SECONDS = 300.0
"""For the first run of a peer: its environment is made then."""
MEASURE_SECONDS = 180.0
RUN_SECONDS = 60.0
LARGE_ROUNDS = 3
LARGE_BYTES = 160 * 65536
BREAKS = (CannotBeHad, TimeoutError, OSError, ValueError)
SMALL = "print(1)"
LARGE = "import sys\nfor _ in range(160):\n    sys.stdout.write('x' * 65535 + '\\n')\n"
INSIDE = """
import json, os, platform, socket
def connects():
    try:
        socket.create_connection(("1.1.1.1", 53), 2).close()
        return True
    except OSError:
        return False
def read(path):
    try:
        return open(path).read()
    except OSError:
        return ""
def limit(name, old):
    return (read("/sys/fs/cgroup/" + name) or read("/sys/fs/cgroup/" + old)).strip() or "not visible"
status = dict(line.split(":\\t", 1) for line in read("/proc/self/status").splitlines() if ":\\t" in line)
def writes():
    try:
        open("/etc/probe", "w").close()
        return True
    except OSError:
        return False
print(json.dumps({
    "kernel": platform.release(),
    "user": os.getuid(),
    "capabilities": status.get("CapEff", "?"),
    "seccomp": status.get("Seccomp", "?"),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "internet": connects(),
    "writes to /etc": writes(),
    "memory limit": limit("memory.max", "memory/memory.limit_in_bytes"),
    "processes limit": limit("pids.max", "pids/pids.max"),
}))
"""


async def measure(peers: Sequence[Peer], rounds: int) -> dict[str, dict[str, str]]:
    """Return what was measured of each peer; a peer that cannot be had says why."""
    found: dict[str, dict[str, str]] = {}
    for peer in peers:
        try:
            async with asyncio.timeout(START_SECONDS):
                found[peer.name] = {"inside": (await peer.run(INSIDE)).text.strip()}
        except (*BREAKS, pytest.skip.Exception) as reason:
            found[peer.name] = {"cannot be had": str(reason) or "no answer"}
    present = [peer for peer in peers if "inside" in found[peer.name]]
    await _small(present, rounds, found)
    for peer in present:
        row = found[peer.name]
        row["10 MB of output"] = await _bounded(_large(peer))
        row[f"{AT_ONCE} at once"] = await _bounded(_at_once(peer))
        row[f"{_in_a_row(rounds)} in a row"] = await _bounded(_sequence(peer, _in_a_row(rounds)))
    return found


async def _bounded(measurement: Awaitable[str]) -> str:
    """Return a measurement, or why there is none; it takes `MEASURE_SECONDS` at most."""
    try:
        async with asyncio.timeout(MEASURE_SECONDS):
            return await measurement
    except TimeoutError:
        return f"over {MEASURE_SECONDS:.0f} s"
    except BREAKS as reason:
        return f"failed: {' '.join(str(reason).split())[-80:]}"


async def _large(peer: Peer) -> str:
    timings = [await peer.run(LARGE) for _ in range(LARGE_ROUNDS)]
    median = f"{statistics.median(timing.total for timing in timings) * 1000:.0f}"
    least = min(timing.size for timing in timings)
    short = sum(timing.size < LARGE_BYTES for timing in timings)
    return f"{median}, {short} of {LARGE_ROUNDS} cut (least {least / 1e6:.1f} MB)" if short else median


async def _at_once(peer: Peer) -> str:
    began = time.perf_counter()
    await asyncio.gather(*(peer.run(SMALL) for _ in range(AT_ONCE)))
    return f"{(time.perf_counter() - began) * 1000:.0f}"


async def _sequence(peer: Peer, count: int) -> str:
    began = time.perf_counter()
    for _ in range(count):
        await peer.run(SMALL)
    return f"{(time.perf_counter() - began) * 1000:.0f}"


async def _small(peers: Sequence[Peer], rounds: int, found: dict[str, dict[str, str]]) -> None:
    timings: dict[str, list[Timing]] = {peer.name: [] for peer in peers}
    deadline = time.monotonic() + MEASURE_SECONDS
    for _ in range(rounds):
        for peer in peers:
            with contextlib.suppress(*BREAKS):
                async with asyncio.timeout(RUN_SECONDS):
                    timings[peer.name].append(await peer.run(SMALL))
        if time.monotonic() > deadline:
            break
    for name, runs in timings.items():
        firsts = [run.first for run in runs if run.first is not None]
        missing = "" if len(runs) == rounds else f" ({len(runs)} of {rounds})"
        found[name]["first byte"] = _percentiles(firsts) if firsts else "not told"
        found[name]["result"] = _percentiles([run.total for run in runs]) + missing if runs else "none ended"


def _in_a_row(rounds: int) -> int:
    return IN_A_ROW if rounds >= ROUNDS else rounds


def _percentiles(seconds: Sequence[float]) -> str:
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[18] if len(seconds) > 1 else seconds[0]
    return f"{statistics.median(seconds) * 1000:.0f} / {p95 * 1000:.0f}"


def table(found: dict[str, dict[str, str]], rounds: int) -> str:
    """Return two tables: times in milliseconds, and what is seen from inside."""
    times = ("first byte", "result", "10 MB of output", f"{AT_ONCE} at once", f"{_in_a_row(rounds)} in a row")
    lines = [f"| | {' | '.join(times)} |", "|---|" + "---|" * len(times)]
    lines += [
        f"| {name} | {' | '.join(row.get(time, '') for time in times)} |"
        for name, row in found.items()
        if "inside" in row
    ]
    inside = {name: json.loads(row["inside"]) for name, row in found.items() if "inside" in row}
    facts = list(next(iter(inside.values()))) if inside else []
    lines += ["", f"| inside | {' | '.join(inside)} |", "|---|" + "---|" * len(inside)]
    lines += [f"| {fact} | {' | '.join(str(row[fact]) for row in inside.values())} |" for fact in facts]
    missing = [f"- {name}: {row['cannot be had']}" for name, row in found.items() if "inside" not in row]
    return "\n".join([*lines, "", *(["Cannot be had here:", "", *missing] if missing else [])])


async def main(rounds: int) -> None:
    """Measure and print."""
    foreign = [
        ForeignSandbox("llm-sandbox", "llm_sandbox_runs.py", "llm-sandbox[docker]"),
        ForeignSandbox("smolagents, Docker", "smolagents_runs.py", "smolagents[docker]>=1.26"),
        ForeignSandbox("inspect_ai, Docker", "inspect_runs.py", "inspect-ai>=0.3.200"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(Path(folder), **ROOM)
        engine.start()
        try:
            async with engine.client("bench") as client:
                await client.health(settled_within=25)
                own = Pratique(client)
                peers: list[Peer] = [own, PlainDocker("runc"), PlainDocker("runsc"), *foreign]
                found = await measure(peers, rounds)
        finally:
            engine.end()
            for peer in foreign:
                peer.close()
    load = os.getloadavg()[0]
    sys.stdout.write(
        f"Milliseconds, median / p95 of {rounds}; load {load:.1f}, {os.cpu_count()} processors.\n\n"
    )
    sys.stdout.write(table(found, rounds) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS))
