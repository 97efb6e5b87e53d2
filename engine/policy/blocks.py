"""Blocks: which of them a submission falls under."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from engine.common.hosts import overlap
from engine.common.text import visible
from engine.models import Draft, Submission
from engine.models.response import Block, BlockKind
from engine.policy.comparison.fingerprint import code_fingerprint


def matching_block(
    submission: Submission, token: str, blocks: Iterable[Block], now: datetime
) -> Block | None:
    """Return a block in force that a submission falls under, or its requester's token; None without one."""
    able = [block for block in blocks if now < block.until]
    if not able:
        return None
    has = target_values(submission, token, {block.kind for block in able})
    return next((block for block in able if _falls_under(has.get(block.kind, ()), block)), None)


def block_reason(block: Block) -> str:
    """Return why something is refused because of a block, in words."""
    what = f"the {block.kind.value.replace('_', '-')} {visible(block.value)[:100]} is blocked"
    why = f": {visible(block.reason)[:200]}" if block.reason else ""
    return f"{what} by {visible(block.by)} until {block.until:%Y-%m-%d %H:%M} UTC ({block.id}){why}"


def target_values(
    submission: Submission, token: str, kinds: Iterable[BlockKind] = frozenset(BlockKind)
) -> dict[BlockKind, tuple[str, ...]]:
    """Return by what a submission could be blocked, but for pre-approvals."""
    draft = submission.draft
    has = {
        BlockKind.AGENT: (submission.requester.name.text,),
        BlockKind.TOKEN: (token,),
        BlockKind.HOST: tuple(host.text.lower() for host in draft.permissions.domains),
        BlockKind.SECRET: tuple(secret.text for secret in draft.permissions.secrets),
        BlockKind.CODE: _code(draft) if BlockKind.CODE in kinds else (),
    }
    return {kind: tuple(filter(None, values)) for kind, values in has.items()}


def _code(draft: Draft) -> tuple[str, ...]:
    return (code_fingerprint(draft),) if draft.code else ()


def _falls_under(values: Iterable[str], block: Block) -> bool:
    if block.kind is BlockKind.HOST:
        return any(overlap(value, block.value.text.lower()) for value in values)
    return block.value.text in values
