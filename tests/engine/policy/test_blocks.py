"""Which blocks a submission falls under, by what it has, and what is said of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.common.text import Untrusted
from engine.models import Draft, Language, Permissions, Principal, Submission
from engine.models.response import Block, BlockKind
from engine.policy.blocks import block_reason, matching_block, target_values
from engine.policy.comparison.fingerprint import code_fingerprint

NOW = datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
DRAFT = Draft(
    code=Untrusted("print(1)\n"),
    language=Language.PYTHON,
    permissions=Permissions(domains=(Untrusted("API.example.org"),), secrets=(Untrusted("KEY"),)),
)
SUBMITTED = Submission(
    id="s-1",
    draft=DRAFT,
    requester=Principal(name=Untrusted("agent-7")),
    submitted_at=NOW,
    digest="0" * 64,
)


def block(kind: BlockKind, value: str, *, seconds: float = 1, reason: str = "") -> Block:
    """Return a block that is in force for so many more seconds."""
    until = NOW + timedelta(seconds=seconds)
    return Block(
        id="b-1", kind=kind, value=Untrusted(value), reason=Untrusted(reason), by=Untrusted("ada"), at=NOW,
        until=until,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("falls", "kind", "value"),
    [
        (True, BlockKind.AGENT, "agent-7"), (False, BlockKind.AGENT, "agent"),
        (True, BlockKind.TOKEN, "t-1"), (False, BlockKind.TOKEN, "agent-7"),
        (True, BlockKind.HOST, "api.EXAMPLE.org"), (True, BlockKind.HOST, "*.example.org"),
        (False, BlockKind.HOST, "example.org"), (False, BlockKind.HOST, "KEY"),
        (True, BlockKind.SECRET, "KEY"), (False, BlockKind.SECRET, "key"),
        (True, BlockKind.CODE, code_fingerprint(DRAFT)), (False, BlockKind.CODE, "0" * 64),
        (False, BlockKind.PRE_APPROVAL, "agent-7"),
    ],
)  # fmt: skip
def test_what_falls_under_a_block(falls: bool, kind: BlockKind, value: str) -> None:
    """By its kind and value; hosts by patterns, in any letters."""
    made = block(kind, value)
    assert (made if falls else None) == matching_block(SUBMITTED, "t-1", [made], NOW)


@pytest.mark.parametrize(("falls", "seconds"), [(True, 0.001), (False, 0.0), (False, -1.0)])
def test_a_block_is_in_force_until_its_time(falls: bool, seconds: float) -> None:
    """At that very time it is no more."""
    found = matching_block(SUBMITTED, "", [block(BlockKind.AGENT, "agent-7", seconds=seconds)], NOW)
    assert falls is (found is not None)


def test_the_first_block_that_fits_is_named() -> None:
    """Others of the same or of other kinds are passed over."""
    other, first = block(BlockKind.AGENT, "agent-8"), block(BlockKind.SECRET, "KEY")
    assert first is matching_block(SUBMITTED, "", [other, first, block(BlockKind.AGENT, "agent-7")], NOW)


def test_without_a_token_no_block_of_a_token_fits() -> None:
    """Not even one of an empty value."""
    assert matching_block(SUBMITTED, "", [block(BlockKind.TOKEN, "")], NOW) is None


def test_by_what_a_submission_may_be_blocked() -> None:
    """Each kind but pre-approvals; hosts in lower case."""
    assert {
        BlockKind.AGENT: ("agent-7",),
        BlockKind.TOKEN: ("t-1",),
        BlockKind.HOST: ("api.example.org",),
        BlockKind.SECRET: ("KEY",),
        BlockKind.CODE: (code_fingerprint(DRAFT),),
    } == target_values(SUBMITTED, "t-1")


def test_what_has_no_code_has_no_fingerprint() -> None:
    """A tool call is blocked by no code."""
    empty = SUBMITTED.with_draft(DRAFT.with_contents(Untrusted(""), ()))
    assert () == target_values(empty, "t-1")[BlockKind.CODE]
    assert () == target_values(SUBMITTED, "t-1", {BlockKind.AGENT})[BlockKind.CODE]


@pytest.mark.parametrize(("said", "reason"), [("", ""), (": incident 7", "incident 7")])
def test_the_reason_says_who_blocked_what_and_until_when(said: str, reason: str) -> None:
    """With the id of the block, and why, if that was said."""
    made = block(BlockKind.PRE_APPROVAL, "p-1", seconds=60, reason=reason)
    expected = f"the pre-approval p-1 is blocked by ada until 2030-01-02 03:05 UTC (b-1){said}"
    assert expected == block_reason(made)


def test_the_reason_is_bounded() -> None:
    """A hundred characters of the value, and two hundred of the reason."""
    said = block_reason(block(BlockKind.AGENT, "v" * 101, reason="r" * 201))
    assert said.startswith(f"the agent {'v' * 100} is blocked by ada")
    assert said.endswith(f" (b-1): {'r' * 200}")
