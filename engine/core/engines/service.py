"""What an engine does because it is one of several over one history."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from engine.common.supervisor import Supervisor, Work
from engine.core.engines.follower import Follower, Listener
from engine.core.engines.hand_over import HandOver
from engine.core.engines.membership import Membership
from engine.core.engines.movable import Movable
from engine.core.engines.remote_control import RemoteControl
from engine.core.history.event_bus import EventBus
from engine.core.queue import WorkQueue
from engine.core.runs.service import Runs
from engine.core.submissions.service import SubmissionService
from engine.history.api import Engines
from engine.models import Check
from engine.settings import ServerSettings

NEVER_SECONDS = 30 * 86400.0
"""A client that left this engine may be connected to another one: its submission waits for its deadline."""


def queue_settings(settings: ServerSettings, engines: Engines | None) -> ServerSettings:
    """Return the settings of the queue: of several engines none knows whether a client is gone."""
    if engines is None:
        return settings
    return ServerSettings.model_validate({**dict(settings), "withdraw_seconds": NEVER_SECONDS})


class SeveralEngines:
    """Follows the other engines, takes over from those that die, and reaches their runs."""

    def __init__(
        self,
        engines: Engines,
        events: EventBus,
        queue: WorkQueue,
        runs: Runs,
        submissions: SubmissionService,
        movable: Movable,
        supervisor: Supervisor,
        listeners: Mapping[str, Listener],
    ) -> None:
        self._engines, self._queue = engines, queue
        self._follower = Follower(events, queue, submissions.reopen, listeners)
        self._membership = Membership(engines, queue, runs, lambda: movable.policy)
        self._remote = RemoteControl(engines, supervisor)
        self._remote.controls = {
            "stop": runs.stop,
            "kill": runs.kill,
            "pause": runs.pause,
            "resume": runs.resume,
        }
        runs.remote = self._remote
        self._hand_over = runs.offers = HandOver(engines, queue, runs, movable)

    def begin(self, since: int) -> None:
        """Follow what is recorded after an event: what was recorded before it has been read."""
        self._follower.begin_after(since)
        self._engines.listen(self._committed, self._remote.receive)

    def _committed(self) -> None:
        """Look soon at what was recorded, or offered."""
        self._follower.wake()
        self._hand_over.wake()

    async def versions(self) -> Mapping[str, int]:
        """Return the number of the last record of each open submission: as old as its case, or older."""
        return await self._engines.versions()

    async def submissions_elsewhere(self) -> frozenset[str]:
        """Return the open submissions that other engines have."""
        places = await self._engines.places()
        return frozenset(id for id, engine in places.items() if engine != self._engines.name)

    async def find(self, id: str) -> None:
        """Take in a submission that another engine may have taken in a moment ago."""
        if self._queue.find(id) is None:
            await self._follower.catch_up()

    def work(self) -> Iterator[tuple[str, Work]]:
        """Yield what goes on until the engine stops, by name."""
        yield "other engines' records", self._follower.run
        yield "other engines' lives", self._membership.run
        yield "runs for any engine", self._hand_over.run
        yield "dead engines' runs", self._membership.take_over

    async def leave(self) -> None:
        """Leave to the others what was approved here and did not start. Raises HistoryError."""
        await self._hand_over.offer_all()

    @property
    def taken_over(self) -> asyncio.Event:
        """Set once the others have taken over from this engine, and its runs are stopped."""
        return self._membership.taken_over

    def checks(self) -> tuple[Check, ...]:
        """Return the row of Health about the engines."""
        return (self._membership.check(),)
