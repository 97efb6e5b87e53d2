"""Revisions: the agent is asked for changes, answers, and the reviewer sees what is new."""

from __future__ import annotations

import asyncio

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    Case,
    CommentReply,
    DecisionOutcome,
    Draft,
    FileChange,
    InputFile,
    Language,
    LineComment,
    ReviewRecord,
    ShownBy,
    Status,
)
from tests.engine.server.test_mcp_stdio import agent, pending, result_of, words
from tests.engine_process import EngineProcess

CODE = "import os\nfolder = os.getcwd()\nprint(folder)\nprint(1)\n"
FIXED = "folder = '.'\nprint(folder)\nprint(1)\n"
FILES = (
    InputFile(name=Untrusted("a.csv"), content=b"1\n2\n"),
    InputFile(name=Untrusted("b.csv"), content=b"x"),
)
COMMENTS = [
    LineComment(first=1, last=2, text=Untrusted("Why the folder?"), suggestion=Untrusted("folder = '.'")),
    LineComment(file=Untrusted("a.csv"), first=2, last=2, text=Untrusted("What is 2?")),
]
READ = ReviewRecord(seconds=9, lines=((1, 3),), files=(0, 1), purpose=True, shown_by=ShownBy.CONSOLE)


def draft(code: str = CODE, revises: str = "", replies: tuple[tuple[int, str], ...] = ()) -> Draft:
    """Return a draft with two input files."""
    said = tuple(CommentReply(comment=number, text=Untrusted(text)) for number, text in replies)
    files = FILES if not revises else (FILES[0], InputFile(name=Untrusted("c.csv"), content=b"y"))
    return Draft(
        code=Untrusted(code),
        language=Language.PYTHON,
        files=files,
        purpose=Untrusted("Print"),
        revises=revises,
        replies=said,
    )


async def sent_back(client: Client, record: ReviewRecord | None = READ) -> Case:
    """Submit code, and ask for changes."""
    case = await client.submit(draft())
    return await client.decide(
        case.submission.id,
        DecisionOutcome.CHANGES_REQUESTED,
        case.submission.digest,
        "Close",
        review_record=record,
        comments=COMMENTS,
    )


async def test_a_revision_shows_what_changed_and_what_was_answered(client: Client) -> None:
    """The difference of each file, the replies, which commented lines changed, and what was read before."""
    earlier = (await sent_back(client)).submission.id
    case = await client.submit(draft(FIXED, earlier, ((1, "Done"),)))
    revision = await client.reviews.revision(case.submission.id)
    assert earlier == revision.revises
    changes = {one.file.text: one.change for one in revision.files}
    expected = {"": FileChange.CHANGED, "a.csv": FileChange.UNCHANGED}
    assert expected | {"b.csv": FileChange.REMOVED, "c.csv": FileChange.ADDED} == changes
    assert "-import os\n-folder = os.getcwd()\n+folder = '.'\n print(folder)" in revision.files[0].diff.text
    general, first, second = revision.comments
    assert (0, "Close", None) == (general.number, general.text.text, general.reply)
    assert (Untrusted("Done"), True) == (first.reply, first.lines_changed)
    assert (None, False) == (second.reply, second.lines_changed)
    carried = revision.carried
    assert carried is not None
    assert (((2, 2),), (0,), True, earlier) == (
        carried.lines,
        carried.files,
        carried.purpose,
        carried.carried_from,
    )
    (entry,) = await client.reviews.queue()
    assert earlier == entry.revises


async def test_the_thread_is_kept(client: Client) -> None:
    """Every submission of the thread, with its comments and replies, the first first."""
    earlier = (await sent_back(client)).submission.id
    case = await client.submit(draft(FIXED, earlier, ((0, "Thanks"),)))
    first, second = await client.reviews.thread(case.submission.id)
    assert (earlier, case.submission.id) == (first.id, second.id)
    assert first.decision is not None
    assert tuple(COMMENTS) == first.decision.comments
    assert "Thanks" == second.replies[0].text.text
    created = (await client.history.events(case.submission.id))[0]
    assert earlier == created.data["revises"]


async def test_nobody_revises_what_is_anothers(client: Client, engine: EngineProcess) -> None:
    """To others a submission is not there, by any name over the socket."""
    earlier = (await sent_back(client)).submission.id
    async with engine.client("mallory") as other:
        for id in (earlier, "s-0"):
            with pytest.raises(Problem, match="you have no submission") as refused:
                await other.submit(draft(FIXED, id))
            assert 404 == refused.value.status


async def test_what_waits_or_runs_is_not_revised(client: Client) -> None:
    """Only what is over without a run has a revision."""
    case = await client.submit(draft())
    with pytest.raises(Problem, match="cannot be revised: it is pending"):
        await client.submit(draft(FIXED, case.submission.id))
    with pytest.raises(Problem, match="revises no other"):
        await client.reviews.revision(case.submission.id)


@pytest.mark.parametrize("replies", [((3, "x"),), ((1, "x"), (1, "y"))])
async def test_replies_are_to_comments_that_there_are(
    client: Client, replies: tuple[tuple[int, str], ...]
) -> None:
    """Each comment is answered once at most; a reply without a revision is refused too."""
    earlier = (await sent_back(client)).submission.id
    with pytest.raises(Problem, match="a reply is to one of the 2 comments"):
        await client.submit(draft(FIXED, earlier, replies))
    with pytest.raises(Problem, match="replies belong to"):
        await client.submit(draft(FIXED, "", replies))


async def test_a_record_of_another_submission_is_not_carried(client: Client) -> None:
    """An approval may only rest on what was read of the very submission that is revised."""
    await sent_back(client)
    case = await client.submit(draft(FIXED))
    record = READ.model_copy(update={"carried_from": "s-1"})
    with pytest.raises(Problem, match="does not revise s-1"):
        await client.decide(
            case.submission.id, DecisionOutcome.APPROVED, case.submission.digest, review_record=record
        )


async def test_what_was_read_of_an_equivalent_one_is_not_carried(client: Client) -> None:
    """Its lines have other numbers: nobody had the same lines of this one on screen."""
    record = READ.model_copy(update={"equivalent_to": "s-1"})
    earlier = await sent_back(client, record)
    case = await client.submit(draft(FIXED, earlier.submission.id))
    assert (await client.reviews.revision(case.submission.id)).carried is None


async def test_what_another_reviewer_read_is_not_carried(client: Client, engine: EngineProcess) -> None:
    """Reading is one's own: another reviewer begins anew."""
    earlier = await sent_back(client)
    case = await client.submit(draft(FIXED, earlier.submission.id))
    assert (await client.reviews.revision(case.submission.id)).carried is not None
    nothing_read = (await sent_back(client, None)).submission.id
    again = await client.submit(draft(FIXED, nothing_read))
    assert (await client.reviews.revision(again.submission.id)).carried is None


async def test_an_agent_is_asked_for_changes_and_revises(engine: EngineProcess, client: Client) -> None:
    """Over MCP the comments are data with lines and suggestions, and the next call names what it revises."""
    async with agent(engine, wait="0") as mcp:
        await mcp.call_tool("code_execute", {"code": CODE})
        case = await pending(client)
        id = case.submission.id
        await client.decide(
            id, DecisionOutcome.CHANGES_REQUESTED, case.submission.digest, "Close", comments=COMMENTS[:1]
        )
        answer = await mcp.call_tool("code_result", {"id": id})
        made = result_of(answer)
        assert (True, "changes_requested", "Close") == (answer.is_error, made["status"], made["reason"])
        (change,) = made["requested_changes"]
        assert (1, 1, 2, "folder = '.'") == (
            change["number"],
            change["first_line"],
            change["last_line"],
            change["suggestion"],
        )
        assert f"revises={id}" in words(answer)
        reply = {"comment": 1, "text": "Done"}
        await mcp.call_tool("code_execute", {"code": FIXED, "revises": id, "replies": [reply]})
        revised = await pending(client)
    revision = await client.reviews.revision(revised.submission.id)
    assert "Done" == getattr(revision.comments[1].reply, "text", None)


@pytest.mark.sandbox
async def test_an_agent_that_revised_is_approved_and_gets_its_result(
    engine: EngineProcess, client: Client
) -> None:
    """Over MCP: asked for changes, revised, approved, run; the answer to the revision is what it printed."""
    assert (await client.health(settled_within=25)).can_run
    async with agent(engine, wait="0") as mcp:
        await mcp.call_tool("code_execute", {"code": CODE})
        first = (await pending(client)).submission
        await client.decide(first.id, DecisionOutcome.CHANGES_REQUESTED, first.digest, comments=COMMENTS[:1])
        await mcp.call_tool("code_execute", {"code": FIXED, "revises": first.id})
        revised = (await pending(client)).submission
        await client.decide(revised.id, DecisionOutcome.APPROVED, revised.digest, review_record=READ)
        await client.case(revised.id, within=60)
        answer = await mcp.call_tool("code_result", {"id": revised.id})
    assert not answer.is_error
    assert ".\n1\n" in words(answer)


async def test_the_command_line_revises(
    client: Client,
    engine: EngineProcess,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """`pratique submit --revises ID --reply 1:TEXT`."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    earlier = (await sent_back(client)).submission.id
    file = tmp_path_factory.mktemp("code") / "a.py"
    file.write_text(FIXED)
    options = ["--requester", "agent", "--revises", earlier, "--reply", "1:Done"]
    assert ExitCode.OK == await asyncio.to_thread(main, ["submit", str(file), *options])
    (entry,) = [one for one in await client.reviews.queue() if one.revises]
    assert (earlier, Status.PENDING) == (entry.revises, entry.summary.status)
