"""`--plain`: the same jobs as ordinary lines; all that is asked for is said, nothing steers a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.plain import formatting, main
from console.plain.output import OutputPrinter
from console.plain.session import PlainSession
from console.review.grant_reduction import parse_grant
from engine.common.text import Untrusted
from engine.common.unicode.repertoire import outside
from engine.models import (
    Case,
    DecisionOutcome,
    ExpectedOutput,
    InputFile,
    Level,
    Limits,
    Operation,
    OperationKind,
    Package,
    Permissions,
    Status,
    Stream,
)
from tests.console.support.fake_engine import FakeEngine, case, chunk, result, span, violation
from tests.console.support.payloads import PAYLOADS

WANTED = Permissions(
    domains=(Untrusted("a.example"),), packages=(Package(name=Untrusted("numpy"), version=Untrusted("2")),),
    secrets=(Untrusted("API"),), files=(Untrusted("a.csv"),), limits=Limits(memory_mb=333),
)  # fmt: skip


def pending(id: str = "s-1") -> Case:
    """Return a case that asks for everything there is."""
    found = (violation(span(1, 8, 10)),)
    each = case(id, "import os\nprint(1)\n", violations=found, wanted=WANTED, purpose="to count",
                files=(InputFile(name=Untrusted("a.csv"), content=b"north,7\n"),))  # fmt: skip
    more = {"image": "notebook", "session": "ses-1", "expect": ExpectedOutput.NUMBER, "verify": "value == 42"}
    draft = each.submission.draft.model_copy(update=more)
    return each.model_copy(update={"submission": each.submission.model_copy(update={"draft": draft})})


def test_a_line_is_said_once_and_whole() -> None:
    """However output is cut: no half lines or characters, no colours, one state of a bar."""
    printed: list[str] = []
    spoken = OutputPrinter(printed.append)
    pieces: list[str | bytes] = [
        "na",
        "ïve".encode()[:2],
        "ïve".encode()[2:] + b"\n\x1b[31mred\x1b[0m\n 1%\r",
        " 2%\r",
        " 3%",
    ]
    for each in pieces:
        spoken.take(chunk(each))
    spoken.take(chunk("oops", Stream.STDERR))
    spoken.end()
    assert ["stdout: naïve", "stdout: red", "stdout:  3%", "stderr: oops"] == printed


async def said(engine: FakeEngine, *lines: str) -> list[str]:
    """Return the answers to lines."""
    printed: list[str] = []
    open_console = PlainSession(engine, printed.append)  # type: ignore[arg-type]
    for line in lines:
        await open_console.answer(line)
    return printed


async def test_everything_that_is_asked_for_is_said() -> None:
    """Code, files, image, session, what is expected and verified, domains, packages, secrets and limits."""
    printed = "\n".join(await said(FakeEngine(pending()), "list", "show 1"))
    for words in ("import os", "a.csv", "north,7", "notebook", "ses-1", "number", "value == 42", "a.example",
                  "numpy 2", "API", "333 MiB", "to count", "py-environ", "CWE-526", "line 1, column 8",
                  "because of agent"):  # fmt: skip
        assert words in printed


async def test_a_tool_call_is_said_as_what_it_does() -> None:
    """What would be written where is read out."""
    each = case("s-1", "", files=(InputFile(name=Untrusted("x.sh"), content=b"rm -r /\n"),))
    operation = Operation(kind=OperationKind.WRITE, path=Untrusted("x.sh"), executable=True)
    draft = each.submission.draft.model_copy(update={"operation": operation, "session": "ses-1"})
    each = each.model_copy(update={"submission": each.submission.model_copy(update={"draft": draft})})
    printed = "\n".join(formatting.case(each))
    assert "tool call: write of x.sh, executable" in printed
    assert "rm -r /" in printed


async def test_nothing_is_approved_that_was_not_read_out() -> None:
    """An approval needs `show` and the digest; it carries that all was seen, and what was settled."""
    engine = FakeEngine(pending())
    digest = engine.cases["s-1"].submission.digest
    printed = await said(engine, f"approve s-1 {digest}")
    assert "Review it first" in printed[-1]
    printed = await said(
        engine, "show s-1", "approve s-1", "approve s-1 abcdefgh1", f"approve s-1 {digest[:7]}"
    )
    assert not engine.decided
    printed = await said(
        engine, "show s-1", "triage s-1 1 accepted", f"approve s-1 {digest[:8]} without=1 memory_mb=100"
    )
    assert "s-1 is running. Type: tail s-1" == printed[-1]
    id, outcome, shown, _, grant = engine.decided[0][:5]
    assert ("s-1", DecisionOutcome.APPROVED, digest) == (id, outcome, shown)
    assert grant is not None
    assert ((), 100) == (grant.permissions.domains, grant.permissions.limits.memory_mb)


async def test_a_denial_says_why() -> None:
    """What follows the id is the reason."""
    engine = FakeEngine(pending())
    await said(engine, "list", "deny 1 needs no network")
    assert [("s-1", DecisionOutcome.DENIED, "needs no network")] == [
        (each[0], each[1], each[3]) for each in engine.decided
    ]


async def test_output_is_read_out_with_its_stream() -> None:
    """Every line of a run says which stream it came from; the end says how it ended."""
    engine = FakeEngine(case("s-1", "x").model_copy(update={"status": Status.FINISHED, "result": result()}))
    engine.written["s-1"] = [chunk("one\ntwo\n")]
    printed = await said(engine, "tail s-1")
    assert ["stdout: one", "stdout: two"] == printed[:2]
    assert printed[2].startswith("Ended: exit 0")


@pytest.mark.parametrize("name", PAYLOADS)
async def test_no_hostile_text_steers_the_terminal(name: str) -> None:
    """Whatever an agent or a guest wrote is said without a character that steers."""
    text = PAYLOADS[name]
    each = case("s-1", text, who=text, purpose=text, violations=(violation(span(1, 1, 2), text),),
                wanted=Permissions(domains=(Untrusted(text),)), level=Level.LOW)  # fmt: skip
    engine = FakeEngine(each)
    engine.written["s-1"] = [chunk(text)]
    printed = "\n".join(await said(engine, "list", "show 1", "tail 1", f"show {text}", text))
    assert [] == outside().findall(printed.replace("\t", "").replace("\n", ""))


@given(st.text(max_size=40))
def test_any_line_is_answered(line: str) -> None:
    """No line breaks the session."""
    asyncio.run(said(FakeEngine(pending()), "show s-1", f"approve s-1 {line}", f"triage {line}", line))


@pytest.mark.parametrize(
    "word", ["without=0", "without=99", "without=x", "memory_mb=9999", "cpus=nan", "x=1", "x"]
)
def test_less_is_never_more(word: str) -> None:
    """A number that is not listed, a limit above what was asked, a word that says nothing: refused."""
    with pytest.raises(ValueError, match=r"not a number|not valid"):
        parse_grant(WANTED, [word])


async def test_lines_are_answered_until_there_are_no_more() -> None:
    """The loop begins with the list, says what arrives, and ends with the input."""
    printed: list[str] = []

    async def lines() -> AsyncGenerator[str, None]:
        yield "health\n"
        yield "quit\n"
        yield "list\n"

    async with asyncio.timeout(60):
        await main.run(FakeEngine(pending()), lines(), printed.append)  # type: ignore[arg-type]
    assert "FAILING: disk: full To fix it: Type: pratique prune" == printed[-1]
    assert any("s-1, pending" in each for each in printed)
