"""`python -m tests.cluster kills`: under load, kills kubelet, containerd, API server and engine in turn.

Every run that a client was told of has to end with a reason, once, and no Pod may be left.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome, KillReason, Result
from engine.settings import HistorySettings, KubernetesSettings
from tests.cluster import control_plane, node
from tests.cluster.daemons import Daemons
from tests.cluster.layout import Layout
from tests.cluster_sandboxes import pods_of
from tests.engine_process import EngineProcess
from tests.faults.load import ROOM, Answered, Load, broken

_CLIENTS = 4
_BETWEEN_SECONDS = (6.0, 14.0)
"""From one kill to the next, at random."""
_ENDING_SECONDS = 120.0
_HUNG_SECONDS = 180.0
"""A campaign in which no run ends for so long after a kill is over."""
_PAUSE_SECONDS = 2.0
"""After a refusal: what cannot run yet would fill the queue."""


@dataclass(frozen=True)
class _Kill:
    name: str
    seconds: float
    """Until a run had ended again."""


async def kills(layout: Layout, runs: int) -> int:
    """Run so often while something is killed all the time; print what came of it; return 1 if it broke."""
    settings = KubernetesSettings.model_validate_json(layout.settings())
    with tempfile.TemporaryDirectory(prefix="pratique-cluster-kills-") as folder:
        engine = _engine(Path(folder), settings)
        await asyncio.to_thread(engine.start)
        load = Load(engine, _CLIENTS, _PAUSE_SECONDS)
        try:
            async with load:
                made = await _kill_in_turn(load, runs, _ways(layout, engine))
        finally:
            code = await asyncio.to_thread(_end, engine)
        wrong = [f"the engine ended with {code}"] if code else []
        wrong += [f"no run ended after the kill of {one.name}" for one in made if one.seconds > _HUNG_SECONDS]
        wrong += await broken(engine.home, load.answered)
        reasons, unexplained = await _ends(engine.home, load.answered)
        wrong += unexplained
        wrong += [f"left: {pod}" for pod in await pods_of(settings, engine.name)]
    seconds = sorted(one.seconds for one in made)
    print(f"kills: {_counts(Counter(one.name for one in made))}", f"ends: {_counts(reasons)}", sep="\n")
    if seconds:
        p50, p95 = (seconds[int(len(seconds) * part)] for part in (0.5, 0.95))
        print(f"until a run ended again: p50 {p50:.1f}, p95 {p95:.1f}, most {seconds[-1]:.1f} s")
    print(f"broken: {len(wrong)}", *wrong, sep="\n")
    return int(bool(wrong))


def _engine(home: Path, settings: KubernetesSettings) -> EngineProcess:
    own = {
        "XDG_DATA_HOME": str(home / "data"),
        "PRATIQUE_SANDBOX__BACKEND": "kubernetes",
        "PRATIQUE_SANDBOX__KUBERNETES": settings.model_dump_json(),
    }
    return EngineProcess(home, **{**ROOM, **own})


def _end(engine: EngineProcess) -> int:
    """End the engine; what it has on the cluster takes a while."""
    os.kill(engine.pid, signal.SIGTERM)
    return engine.wait(_ENDING_SECONDS)


def _ways(layout: Layout, engine: EngineProcess) -> dict[str, Callable[[], None]]:
    """Return how each part is killed and started again."""
    daemons = Daemons(layout.state)

    def again(name: str, start: Callable[[Layout, Daemons], None]) -> None:
        daemons.end(name, signal.SIGKILL)
        start(layout, daemons)

    def engine_again() -> None:
        engine.end(signal.SIGKILL)
        engine.start()

    return {
        "kubelet": partial(again, "kubelet", node.start_kubelet),
        "containerd": partial(again, "containerd", node.start_containerd),
        "apiserver": partial(again, "apiserver", control_plane.start),
        "engine": engine_again,
    }


async def _kill_in_turn(load: Load, runs: int, ways: dict[str, Callable[[], None]]) -> list[_Kill]:
    """Kill, and wait until a run has ended again, until enough have; one that none follows is the last."""
    made = list[_Kill]()
    for name in cycle(ways):
        await asyncio.sleep(random.uniform(*_BETWEEN_SECONDS))  # noqa: S311  no secret
        if len(load.answered.ended) >= runs:
            break
        began = time.monotonic()
        await asyncio.to_thread(ways[name])
        try:
            async with asyncio.timeout(_HUNG_SECONDS):
                await load.goes_on(to_the_end=True)
        except TimeoutError:
            made.append(_Kill(name, float("inf")))
            break
        made.append(_Kill(name, time.monotonic() - began))
    return made


async def _ends(home: Path, answered: Answered) -> tuple[Counter[str], list[str]]:
    """Return how often runs ended in which way, and those whose end has no reason."""
    reasons, unexplained = Counter[str](), list[str]()
    store = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    try:
        for id, outcome in answered.decided.items():
            case = await store.read.case(id)
            if outcome is not DecisionOutcome.APPROVED or case is None:
                continue
            reasons[_reason(case.result)] += 1
            unexplained += [] if _is_explained(case.result) else [f"no reason: {id}, {case.status}"]
    finally:
        await store.close()
    return reasons, unexplained


def _reason(result: Result | None) -> str:
    if result is None:
        return "none"
    return f"exit {result.exit_code}" if result.kill_reason is KillReason.NONE else result.kill_reason.value


def _is_explained(result: Result | None) -> bool:
    """Return whether a run ended by itself, or with a reason and what shows it."""
    if result is None:
        return False
    return result.exit_code is not None if result.kill_reason is KillReason.NONE else bool(result.evidence)


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counted.most_common()) or "none"
