"""Which engines live: one that is silent is fenced, and its runs are closed with what was captured."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from engine.common import log
from engine.common.text import Untrusted
from engine.core.queue import ActiveSubmission, WorkQueue
from engine.core.runs.service import Runs
from engine.history.api import Engines, PeerEngine
from engine.history.errors import HistoryError
from engine.models import Check, Status

BEAT_SECONDS = 1.0
DEAD_SECONDS = 5.0
"""After so long without a sign of life the others take over from an engine."""
LOOK_SECONDS = 2.0
"""The most that one look adds to the silence of another engine: what holds up this one, such as a database
that hangs, may hold up the other one, too."""
LOST_SECONDS = 30.0
"""After so long an approved submission that is with this engine, which does not run it, is closed."""
GOING = frozenset({Status.QUEUED, Status.RUNNING})
_PAGE = "docs/several-engines.md"


class Membership:
    """Says that this engine lives, watches the others, and takes over from those that are dead."""

    def __init__(self, engines: Engines, queue: WorkQueue, runs: Runs, policy: Callable[[], str]) -> None:
        self._engines = engines
        self._queue = queue
        self._runs = runs
        self._policy = policy
        """Returns the hash of the policy in force."""
        self._peers: tuple[PeerEngine, ...] = ()
        self._silent: dict[str, tuple[int, float]] = {}
        """Of each engine its last beat, and for how many seconds this engine has seen no other one."""
        self._looked = time.monotonic()
        self._unclaimed: dict[str, float] = {}
        self._places: Mapping[str, str] = {}
        self._problem = ""
        self.taken_over = asyncio.Event()
        """Set once the others have taken over from this engine, and its runs are stopped."""

    async def run(self) -> None:
        """Beat and watch, until cancelled; nothing that takes long is waited for between two beats."""
        while True:
            try:
                await self._look()
                self._problem = ""
            except HistoryError as error:
                self._problem = error.title
                self._silent.clear()  # while the database is away, nobody can be heard
            await asyncio.sleep(BEAT_SECONDS)

    async def take_over(self) -> None:
        """Fence the engines that are dead, and close their runs, until cancelled."""
        while True:
            with contextlib.suppress(HistoryError):
                if not self.is_fenced:
                    await self._fence()
                    await self._close_runs()
            await asyncio.sleep(BEAT_SECONDS)

    def check(self) -> Check:
        """Return the row of Health about the other engines."""
        others = [peer for peer in self._peers if peer.name != self._engines.name and not peer.fenced]
        policies = {peer.policy for peer in self._peers if peer.policy and not peer.fenced}
        if self._problem or self.is_fenced:
            detail = self._problem or "the others have taken over from this engine: it writes nothing"
            return _check(detail, ok=False, hint="pratique serve" if self.is_fenced else _PAGE)
        if len(policies) > 1:
            hint = "give each engine the same policy.yaml"
            return _check("the engines have different policies in force", ok=False, hint=hint)
        detail = f"{self._engines.name}, and {len(others)} more: {_names(others)}{self._runs_of_all()}"
        return _check(detail, ok=True)

    def _runs_of_all(self) -> str:
        """Return how many runs each engine has, and how many wait until one has a place."""
        going = [entry for entry in self._queue if entry.case.status in GOING]
        counts = Counter(self._engine_of(entry) for entry in going)
        waiting = counts.pop("", 0)
        parts = [f"{counts[name]} at {name}" for name in sorted(counts)]
        parts += [f"{waiting} waiting for a place"] if waiting else []
        return f"; runs: {', '.join(parts)}" if parts else ""

    def _engine_of(self, entry: ActiveSubmission) -> str:
        """Return the engine that a run is with; empty where all may take it."""
        return self._engines.name if entry.is_here else self._places.get(entry.id, "another one")

    @property
    def is_fenced(self) -> bool:
        """Whether the others have taken over from this engine."""
        return any(peer.fenced for peer in self._peers if peer.name == self._engines.name)

    async def _look(self) -> None:
        self._peers = await self._engines.beat(self._policy())
        if self.is_fenced:
            await self._runs.cancel()
            self.taken_over.set()
            return
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, LOOK_SECONDS), now
        for peer in self._peers:
            beat, silent = self._silent.get(peer.name, (-1, 0.0))
            self._silent[peer.name] = (peer.beat, silent + passed if beat == peer.beat else 0.0)

    async def _fence(self) -> None:
        for peer in self._peers:
            beat, silent = self._silent.get(peer.name, (-1, 0.0))
            if peer.name != self._engines.name and not peer.fenced and silent > DEAD_SECONDS:
                log.warning("engine.fenced", engine=peer.name)
                await self._engines.fence(peer.name, beat)

    async def _close_runs(self) -> None:
        """Close what was approved at an engine that is fenced, and what nobody runs here."""
        going = [entry for entry in self._queue if entry.case.status in GOING]
        if all(entry.is_here for entry in going):
            return
        self._places = places = await self._engines.places()
        fenced = {peer.name for peer in self._peers if peer.fenced}
        for entry in going:
            place = places.get(entry.id)
            lost = self._is_own(place) and not entry.is_offered and self._is_lost(entry.id)
            if not entry.is_here and (place in fenced or lost):
                await self._runs.close_interrupted(entry)
        self._unclaimed = {id: since for id, since in self._unclaimed.items() if self._is_own(places.get(id))}

    def _is_own(self, place: str | None) -> bool:
        return place == self._engines.name

    def _is_lost(self, id: str) -> bool:
        return time.monotonic() - self._unclaimed.setdefault(id, time.monotonic()) > LOST_SECONDS


def _check(detail: str, *, ok: bool, hint: str = "") -> Check:
    return Check(name="engines", ok=ok, detail=Untrusted(detail), hint=hint)


def _names(peers: Iterable[PeerEngine]) -> str:
    return ", ".join(peer.name for peer in peers) or "none"
