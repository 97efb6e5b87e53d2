"""Revoked keys, revoked tokens and blocks: what waits or goes on under them ends with them."""

from __future__ import annotations

import asyncio

from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.core.config.token_store import TokenStore
from engine.core.response.blocks import Blocks
from engine.core.review.pre_approvals import PreApprovals
from engine.core.review.reviewer_keys import ReviewerKeys
from engine.core.sessions.service import SessionService
from engine.core.submissions.service import SubmissionService
from engine.models import Event, Principal
from engine.models.response import Block, BlockTarget

WITHDRAWAL_SECONDS = 5.0
"""How long a revocation or a block waits for what it withdraws; on a full disk that goes on after it."""


class Revocations:
    """Revokes keys and tokens, and blocks; ends what depends on them, and on those of other engines."""

    def __init__(
        self,
        keys: ReviewerKeys,
        tokens: TokenStore,
        blocks: Blocks,
        pre_approvals: PreApprovals,
        submissions: SubmissionService,
        sessions: SessionService,
        supervisor: Supervisor,
    ) -> None:
        self._keys = keys
        self._tokens = tokens
        self._blocks = blocks
        self._pre_approvals = pre_approvals
        self._submissions = submissions
        self._sessions = sessions
        self._supervisor = supervisor

    async def revoke_key(self, key: str, by: Principal) -> None:
        """Revoke a reviewer's key, and with it the pre-approvals that it signed.

        Raises:
            Problem: it is registered for nobody.
        """
        await self._keys.revoke(key, by)
        await self._pre_approvals.end_unregistered(by.name)

    async def revoke_token(self, id: str, by: Principal) -> None:
        """Revoke a token; what waits under it is withdrawn, and its sessions are closed.

        Raises:
            Problem: there is none of that id.
            HistoryError: this could not be recorded; it is done nevertheless.
        """
        try:
            await self._tokens.revoke(id, by)
        finally:
            await self._end_revoked()

    async def block(self, target: BlockTarget, hours: float, reason: Untrusted, by: Principal) -> Block:
        """Block something for so many hours; what waits and falls under it is refused.

        Raises:
            Problem: the principal may not, or there is nothing to block.
        """
        block = await self._blocks.create(target, hours, reason, by)
        await self.apply_blocks()
        return block

    async def apply_blocks(self) -> None:
        """Refuse what waits under a block, and close what goes on with a blocked token."""
        self._tokens.end_suspended()
        await self._end_revoked()

    async def _end_revoked(self) -> None:
        await self._sessions.close_revoked()
        withdrawals = self._supervisor.start("withdrawals", self._submissions.withdraw_revoked)
        await asyncio.wait({withdrawals}, timeout=WITHDRAWAL_SECONDS)

    def on_block_elsewhere(self, event: Event) -> None:
        """Apply what another engine blocked, or blocks no longer."""
        self._blocks.replay(event)
        self._supervisor.start("withdrawals", self.apply_blocks)

    def on_token_elsewhere(self, _: Event) -> None:
        """Apply that another engine made or revoked a token; that one withdraws what waits under it."""

        async def apply() -> None:
            await self._tokens.replay()
            await self._sessions.close_revoked()

        self._supervisor.start("tokens of other engines", apply)
