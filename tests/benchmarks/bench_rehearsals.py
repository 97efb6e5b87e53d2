"""Rehearsals of forty programs that steal or destroy, and of forty honest ones, one after the other."""

from __future__ import annotations

import os
import sys

from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.rehearsed.measure import HARMFUL, HONEST, Programs, Rehearsed, rehearse
from tests.benchmarks.row import Row, percentiles
from tests.sandboxes import sandbox_manager

_LEAST_CONVICTED = 36
_MOST_SECONDS = 5.0


async def rows() -> list[Row]:
    """Count who was convicted, and measure how long that took."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), f"bench-rehearsals-{os.getpid()}")
    await manager.start()
    try:
        harmful = await _each(manager, HARMFUL)
        honest = await _each(manager, HONEST)
    finally:
        await manager.close()
    convicted, accused = ([one for one in some if one.proof] for some in (harmful, honest))
    return [
        _count(f"harmful programs convicted, of {len(harmful)}", len(convicted), f">= {_LEAST_CONVICTED}",
               passed=len(convicted) >= _LEAST_CONVICTED),
        _count(f"honest programs accused, of {len(honest)}", len(accused), "0", passed=not accused),
        _time("rehearsal of a harmful program", harmful),
    ]  # fmt: skip


async def _each(manager: SandboxManager, programs: Programs) -> list[Rehearsed]:
    found = []
    for (language, name), code in programs.items():
        found.append(await rehearse(manager, language, name, code))
        sys.stderr.write(_line(found[-1]))
    return found


def _line(one: Rehearsed) -> str:
    said = one.proof or f"- (exit {one.exit_code}) {one.said!r}"
    return f"  {one.seconds:5.1f} s  {one.name:<48} {said}\n"


def _count(name: str, count: int, target: str, *, passed: bool) -> Row:
    return Row(name, count, count, count, "", None, None, target, passed)


def _time(name: str, several: list[Rehearsed]) -> Row:
    p50, p95, p99 = percentiles([one.seconds for one in several])
    return Row(name, p50, p95, p99, "s", None, None, f"p95 <= {_MOST_SECONDS:g} s", p95 <= _MOST_SECONDS)
