"""Blocks: created, listed, removed and applied. They are stored as events of the history."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import EventBus
from engine.models import Event, Principal, Submission
from engine.models.response import MOST_HOURS, Block, BlockKind, BlockTarget
from engine.policy.blocks import block_reason, matching_block
from engine.principals import may
from engine.principals.identity import token_of
from engine.principals.roles import Action

SUBJECT = "blocks"
MOST = 10_000
LONGEST = 500
"""So many characters at most has a value."""


class Blocks:
    """The blocks, rebuilt from the history."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._by_id: dict[str, Block] = {}

    async def start(self) -> None:
        """Read from the history which there are."""
        async for event in self._events.recorded(SUBJECT):
            self.replay(event)

    def listed(self) -> tuple[Block, ...]:
        """Return those in force, the newest first."""
        now = datetime.now(UTC)
        return tuple(block for block in reversed(self._by_id.values()) if now < block.until)

    async def create(
        self, target: BlockTarget, hours: float, reason: Untrusted, by: Principal, response: str = ""
    ) -> Block:
        """Block something for so many hours: at once, and recorded as soon as the history takes it.

        Raises:
            Problem: the principal may not, there is nothing to block, or there are too many blocks.
        """
        require_responder(by)
        value, now = target.value.text, datetime.now(UTC)
        if not value.strip() or len(value) > LONGEST or not 0 < hours <= MOST_HOURS:
            raise Problem(422, f"a block has a value, and lasts 0 to {MOST_HOURS} hours")
        if len(self.listed()) >= MOST:
            raise Problem(409, f"there are {MOST} blocks", hint="Type: pratique block list")
        block = Block(
            id=f"b-{secrets.token_hex(4)}",
            kind=target.kind,
            value=target.value,
            reason=reason,
            by=by.name,
            at=now,
            until=now + timedelta(hours=hours),
            response=response,
        )
        data = {"block": block.id, "created": block.model_dump(mode="json")}
        self._by_id[block.id] = block
        await self._events.record_soon("block.created", SUBJECT, by.name, data=data)
        return block

    async def remove(self, id: str, by: Principal) -> None:
        """Remove a block: what it forbade is allowed again.

        Raises:
            Problem: the principal may not, or there is none of that id.
        """
        require_responder(by)
        if id not in self._by_id:
            raise Problem(404, f"there is no block {visible(id)}", hint="Type: pratique block list")
        await self._events.record("block.removed", SUBJECT, by.name, data={"block": id})
        self._by_id.pop(id, None)

    def reason(self, submission: Submission) -> str:
        """Return why a submission is refused; empty where no block is in force that it falls under."""
        token = token_of(submission.requester)
        block = matching_block(submission, token, self._by_id.values(), datetime.now(UTC))
        return block_reason(block) if block else ""

    def holds(self, kind: BlockKind, value: str) -> bool:
        """Return whether this very value is blocked now."""
        now = datetime.now(UTC)
        able = (block for block in self._by_id.values() if block.kind is kind and now < block.until)
        return any(block.value.text == value for block in able)

    def require_none(self, submission: Submission) -> None:
        """Check that no block is in force that a submission falls under. Raises Problem (409)."""
        if reason := self.reason(submission):
            raise Problem(409, reason, hint="Type: pratique block list")

    def replay(self, event: Event) -> None:
        """Take a record into account, of this engine or another one."""
        id = str(event.data["block"])
        if event.type == "block.created":
            self._by_id[id] = Block.model_validate(event.data["created"])
        else:
            self._by_id.pop(id, None)


def require_responder(by: Principal) -> None:
    """Check that a principal may respond. Raises Problem (403)."""
    if not may(by, Action.MANAGE):
        raise Problem(403, f"{visible(by.name)} is not a reviewer")
