"""Requesting changes: what a reviewer wants reaches the agent as structured data, signed and bounded."""

from __future__ import annotations

import asyncio

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.history.exports.case_verify import Wrong, check, unpacked
from engine.models import DecisionOutcome, Draft, InputFile, Language, LineComment, Status
from engine.principals import verify
from tests.engine_process import EngineProcess

ASK = DecisionOutcome.CHANGES_REQUESTED
DRAFT = Draft(
    code=Untrusted("import os\nprint(os.getcwd())\n"),
    language=Language.PYTHON,
    files=(
        InputFile(name=Untrusted("a.csv"), content=b"1,2\n"),
        InputFile(name=Untrusted("b"), content=b"\xff"),
    ),
)
COMMENT = LineComment(first=2, last=2, text=Untrusted("Why the folder?"), suggestion=Untrusted("print(1)"))


def on(file: str, first: int, last: int) -> LineComment:
    """Return a comment on lines."""
    return LineComment(file=Untrusted(file), first=first, last=last, text=Untrusted("no"))


async def test_changes_are_requested_and_signed(client: Client) -> None:
    """The submission is over with the outcome, and the signature covers the comments."""
    case = await client.submit(DRAFT)
    asked = await client.decide(
        case.submission.id, ASK, case.submission.digest, "Close", comments=[COMMENT, on("a.csv", 1, 1)]
    )
    assert Status.CHANGES_REQUESTED is asked.status
    decision = asked.decision
    assert decision is not None
    assert decision.signature is not None
    assert (ASK, COMMENT) == (decision.outcome, decision.comments[0])
    assert verify(decision, decision.signature.key)
    forged = decision.model_copy(update={"comments": (on("", 1, 1),)})
    assert not verify(forged, decision.signature.key)
    assert asked == await client.case(case.submission.id)
    found = await client.history.search("status:changes_requested")
    assert case.submission.id in [one.id for one in found]
    with pytest.raises(Problem, match="is over"):
        await client.decide(case.submission.id, DecisionOutcome.APPROVED, case.submission.digest)


async def test_the_case_file_proves_the_comments(client: Client) -> None:
    """The comments are in the case file, and a changed one is found."""
    case = await client.submit(DRAFT)
    id = case.submission.id
    await client.decide(id, ASK, case.submission.digest, "Close", comments=[COMMENT])
    members = unpacked(await client.history.case_file(id))
    assert "WRONG" not in {kind for kind, _ in check(members)}
    state = members["case/state.json"]
    forged = {**members, "case/state.json": state.replace(b"Why the folder?", b"Why the f0lder?")}
    assert forged != members
    with pytest.raises(Wrong):
        list(check(forged))


async def test_more_time_is_in_the_case_file(client: Client) -> None:
    """A claim that stopped the clock and an extension leave a case that proves itself."""
    id = (await client.submit(DRAFT)).submission.id
    await client.claim(id)
    case = await client.reviews.extend(id)
    await client.decide(id, DecisionOutcome.DENIED, case.submission.digest)
    assert "WRONG" not in {kind for kind, _ in check(unpacked(await client.history.case_file(id)))}


@pytest.mark.parametrize(
    ("outcome", "reason", "comments", "why"),
    [
        (ASK, " ", [], "nothing says what to change"),
        (ASK, "x", [on("", 1, 3)], "there are 2 lines, not 3"),
        (ASK, "x", [on("c.csv", 1, 1)], "no text file c.csv"),
        (ASK, "x", [on("b", 1, 1)], "no text file b"),
        (DecisionOutcome.DENIED, "x", [COMMENT], "belong to the outcome"),
        (DecisionOutcome.APPROVED, "x", [COMMENT], "belong to the outcome"),
        (ASK, "x", [COMMENT] * 101, "100"),
    ],
)
async def test_what_is_no_request_for_changes_is_refused(
    client: Client, outcome: DecisionOutcome, reason: str, comments: list[LineComment], why: str
) -> None:
    """Nothing to change, lines that there are not, or comments on another decision: it waits on."""
    case = await client.submit(DRAFT)
    with pytest.raises((Problem, ValueError), match=why):
        await client.decide(case.submission.id, outcome, case.submission.digest, reason, comments=comments)
    assert Status.PENDING is (await client.case(case.submission.id)).status


@pytest.mark.parametrize(
    ("first", "last", "text", "suggestion"),
    [(0, 1, "x", ""), (2, 1, "x", ""), (1, 1, " ", ""), (1, 1, "x" * 4001, ""), (1, 1, "x", "y" * 20_001)],
)
def test_comments_are_bounded(first: int, last: int, text: str, suggestion: str) -> None:
    """A comment has lines in order, says something, and ends."""
    with pytest.raises(ValueError, match=r"comment|characters|greater|last line"):
        LineComment(first=first, last=last, text=Untrusted(text), suggestion=Untrusted(suggestion))


async def test_the_command_line_requests_and_prints_changes(
    client: Client, engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`pratique request-changes` sends comments, and `pratique show` prints them with their lines."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    case = await client.submit(DRAFT)
    id, digest = case.submission.id, case.submission.digest
    ask = [
        "request-changes",
        id,
        "--digest",
        digest[:8],
        "-m",
        "Close",
        "-c",
        "1-2: no os",
        "-c",
        "a.csv:1: 2?",
    ]
    assert ExitCode.OK == await asyncio.to_thread(main, ask)
    assert ExitCode.OK == await asyncio.to_thread(main, ["show", id])
    told = capsys.readouterr().out
    assert f"{id}: changes_requested" in told
    assert "1. line 1-2: no os" in told
    assert "2. a.csv:1: 2?" in told
    assert ExitCode.ERROR == await asyncio.to_thread(main, [*ask[:4], "-c", "nonsense"])
    assert "is no comment on lines" in capsys.readouterr().err
