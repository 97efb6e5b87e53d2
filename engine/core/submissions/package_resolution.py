"""Resolves requested packages to exact versions and hashes, so that reviewers see all that they grant."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from engine.core.history.event_bus import EventBus
from engine.core.runs.history_events import history_event
from engine.models import Draft, Language, Meters, OutputChunk, Principal
from engine.sandbox import PackageSource, SandboxUnavailable, StartPermit, StartRequest
from engine.sandbox.api.run_events import RunEvent

SECONDS = 25.0
"""Clients wait 30 s for the answer to a submission."""


@dataclass(frozen=True)
class _LookUpRecorder:
    """Follows a look-up: records the requests to the registry."""

    events: EventBus
    requester: Principal

    async def output(self, chunk: OutputChunk) -> None:
        pass

    def meters(self, sample: Meters) -> None:
        pass

    async def permit(self, request: StartRequest) -> StartPermit:
        raise SandboxUnavailable("a look-up of packages starts no code of a submission")

    async def event(self, event: RunEvent) -> None:
        kind, data = history_event(event)
        await self.events.record(kind, "", self.requester.name, data=data, durable=False)


async def resolve_packages(
    draft: Draft, packages: PackageSource, events: EventBus, requester: Principal
) -> Draft:
    """Return the draft with exact versions and hashes of its packages and of all that these need.

    Where they cannot be looked up it comes back as it is: then they are shown without, and cannot be given.
    """
    wanted = draft.permissions.packages
    settled = not wanted or all(package.hashes for package in wanted)
    if settled or not packages.looks_up or draft.language is Language.SHELL:
        return draft
    builds = [name.text for name in draft.permissions.builds]
    try:
        async with asyncio.timeout(SECONDS):
            found = await packages.look_up(wanted, draft.language, builds, _LookUpRecorder(events, requester))
    except (SandboxUnavailable, TimeoutError):
        return draft
    return draft.with_permissions(draft.permissions.with_packages(found))
