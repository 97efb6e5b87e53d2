"""`python -m tests.faults.power`: cuts the power of an engine at many moments, and starts it again each time.

A recorder of everything that is written is loaded into the engine's process; what was not synced is dropped.
It needs gcc, and no right to anything.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.core import Engine
from engine.principals import KeyRing
from tests.faults.machine import Machine
from tests.faults.power import workload
from tests.faults.power.replay import Disk, Operation, answers, read
from tests.faults.scenario import ADA, at_home, engine_at

SOURCE = Path(__file__).with_name("recorder.c")
KEPT = ("nothing", "names", "some")
"""What of the unsynced is left: see `Disk.lose_power`."""


@dataclass(frozen=True)
class Cut:
    """A loss of power after so many operations, and what did not hold after it."""

    at: int
    kept: str
    broken: tuple[str, ...]


def record(folder: Path, home: Path, *words: str) -> list[Operation]:
    """Let Python run with these words and the recorder, and return what it wrote below `home`."""
    library, log = folder / "recorder.so", folder / "log"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    subprocess.run(command, check=True, capture_output=True)
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "RECORD_UNDER": str(home),
        "RECORD_TO": str(log),
        "XDG_DATA_HOME": str(home / "data"),
    }
    subprocess.run([sys.executable, *words], check=True, env=environment, timeout=120)
    return read(log)


async def cut(
    operations: list[Operation], home: Path, at: int, kept: str, folder: Path, pool: AnalysisPool
) -> Cut:
    """Lose power after so many operations; look for what was answered in an engine on what is left."""
    disk = Disk(home)
    for one in operations[:at]:
        disk.do(one)
    disk.lose_power(kept, random.Random(at))  # noqa: S311  no secret
    left = folder / f"left-{at}-{kept}"
    disk.write_to(left)
    told = [what for number, what in answers(operations, workload.ANSWERS) if number < at]
    try:
        broken = await _broken(left, told, pool)
    except Exception as error:
        broken = [f"it does not start: {type(error).__name__}: {error}"]
    finally:
        shutil.rmtree(left, ignore_errors=True)
    return Cut(at, kept, tuple(broken))


async def _broken(home: Path, told: list[list[str]], pool: AnalysisPool) -> list[str]:
    """Start an engine on what is left, and return what does not hold of all that was answered."""
    with at_home(home):
        async with engine_at(home, Machine(), pool) as engine:
            lost = [" ".join(one) for one in told if not await _holds(engine, home, one, told)]
            verified = await engine._log.verify()
            problems = [] if verified.intact else [f"the history: {verified.problem}"]
            return [f"lost: {one}" for one in lost] + problems


async def _holds(engine: Engine, home: Path, one: list[str], told: list[list[str]]) -> bool:
    """Return whether an answer still holds; what was being revoked or removed may be there or not."""
    kind, id = one[0], one[1] if len(one) > 1 else ""
    tokens = {token.id for token in engine.tokens.listed()}
    secrets = {secret.name for secret in engine.secrets.listed()}
    match kind:
        case "submitted":
            return await engine._log.read.case(id) is not None
        case "decided":
            case = await engine._log.read.case(id)
            held = case is not None and case.decision is not None and case.decision.outcome.value == one[2]
            return held and KeyRing(home / "keys").has_key(ADA)
        case "token":
            return id in tokens or ["revoking", id] in told
        case "secret":
            return id in secrets or ["removing", id] in told
        case "revoked" | "removed":
            return id not in tokens | secrets
    return True


async def cuts(folder: Path, most: int | None = None) -> list[Cut]:
    """Cut the power before each sync and after each answer, or at so many of these moments, evenly spread."""
    home, pool = folder / "home", AnalysisPool(workers=1)
    home.mkdir(mode=0o700)
    operations = await asyncio.to_thread(record, folder, home, "-m", workload.__name__, str(home))
    moments = sorted(
        {number for number, one in enumerate(operations) if one.kind == "S"}
        | {number + 1 for number, _ in answers(operations, workload.ANSWERS)}
    )
    step = max(1.0, len(moments) / most) if most else 1.0
    chosen = [moments[int(number * step)] for number in range(int(len(moments) / step))]
    try:
        return [
            await cut(operations, home, at, kept, folder, pool)
            for number, at in enumerate(chosen)
            for kept in (KEPT if most is None else (KEPT[number % len(KEPT)],))
        ]
    finally:
        await pool.close()


def main() -> int:
    """Print what did not hold; return 1 where something did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=None, help="how many moments (default: all)")
    with tempfile.TemporaryDirectory(prefix="pratique-power-") as folder:
        done = asyncio.run(cuts(Path(folder), parser.parse_args().most))
    broken = [one for one in done if one.broken]
    print(*(f"{one.at} {one.kept}: {'; '.join(one.broken)}" for one in broken), sep="\n")
    print(f"{len(done)} losses of power at {len({one.at for one in done})} moments, {len(broken)} broken")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
