"""Starts a worker for each receiver of the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.common.supervisor import Supervisor
from engine.core import Engine
from engine.models import Case, Check, Event, Status
from engine.notifications.receiver import ReceiverWorker
from engine.notifications.senders.delivery import Sender
from engine.notifications.senders.mail import MailSender
from engine.notifications.senders.programs import CommandSender, DesktopSender
from engine.notifications.settings import (
    CommandSettings,
    DesktopSettings,
    MailSettings,
    NotificationSettings,
    Receiver,
)


class EngineSource:
    """What an engine tells its notifications."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed: set[asyncio.Event] = set()
        engine.queries.listen(self._on_event)

    @property
    def latest(self) -> int:
        """The number of the last event."""
        return self._engine.queries.latest

    def pending(self) -> Iterable[Case]:
        """Return what waits for a decision, the oldest first."""
        return [entry.case for entry in self._engine.work_queue if entry.case.status is Status.PENDING]

    def waiting(self, id: str) -> Case | None:
        """Return a submission if it waits for a decision."""
        entry = self._engine.work_queue.find(id)
        return entry.case if entry and entry.case.status is Status.PENDING else None

    def follow(self, since: int) -> AsyncGenerator[Event, None]:
        """Yield the events after one, then those that happen."""
        return self._engine.queries.events(since)

    async def record(self, type: str, data: dict[str, Any]) -> None:
        """Record what became of a notice."""
        await self._engine.record_notification(type, data)

    def wake(self, changed: asyncio.Event) -> None:
        """Set `changed` whenever something is recorded."""
        self._changed.add(changed)

    def _on_event(self, event: Event) -> None:
        if event.type.startswith(("submission.", "decision.")):
            for changed in self._changed:
                changed.set()


class Notifications:
    """The receivers of an engine."""

    def __init__(self, settings: NotificationSettings, engine: Engine, folder: Path) -> None:
        source = EngineSource(engine)
        self._workers = {
            receiver.name: ReceiverWorker(
                receiver, sender_of(receiver), source, folder / f"{receiver.name}.json"
            )
            for receiver in settings.receivers
        }

    def start(self, supervisor: Supervisor) -> None:
        """Start to tell the receivers."""
        for name, worker in self._workers.items():
            supervisor.start(f"notify: {name}", worker.run)

    def checks(self) -> Iterator[Check]:
        """Yield the rows of Health."""
        for worker in self._workers.values():
            yield worker.check()


def sender_of(receiver: Receiver) -> Sender:
    """Return the way out to a receiver."""
    if isinstance(receiver, CommandSettings):
        return CommandSender(receiver)
    if isinstance(receiver, DesktopSettings):
        return DesktopSender(receiver)
    if isinstance(receiver, MailSettings):
        return MailSender(receiver)
    from engine.notifications.senders.webhook import WebhookSender  # noqa: PLC0415  httpx takes its time

    return WebhookSender(receiver)
