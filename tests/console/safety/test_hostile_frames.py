"""Every screen shows every hostile text, and no frame carries a character that steers a terminal."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

import console
from console.app.app import ConsoleApp
from console.code_view.view import CodeView
from console.explore import snippets
from console.explore.cells.variables import Variable
from console.explore.cells.variables_sheet import VariablesScreen
from console.explore.editor import Editor
from console.explore.run_sheet import RunSheet
from console.explore.snippets import SavedSnippet
from console.explore.workspace.access import Entry, Workspace
from console.explore.workspace.screen import FileList, WorkspaceScreen
from console.help.welcome import WelcomeScreen
from console.history.compare_runs import CompareRunsScreen
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.erasures import ErasuresScreen
from console.history.responding.holds import HoldsScreen
from console.history.responding.incidents import IncidentsScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.rescans import RescansScreen
from console.history.responding.respond import RespondScreen
from console.history.responding.responses import ResponsesScreen
from console.history.responding.selection import of_query
from console.history.responding.steps import request_lines
from console.review.approve import ApproveScreen
from console.review.changes.revision_screen import RevisionScreen
from console.review.changes.sheet import ChangesScreen, DraftComments
from console.review.decisions import PendingDecision
from console.review.pre_approvals import PreApprovalScreen
from console.review.queue.expired import ExpiredScreen
from console.review.queue.listing import QueueList
from console.review.reading.unread import UnreadScreen, unread_list
from console.review.unsent.sheet import UnsentScreen
from console.run.effects import EffectsScreen
from console.run.lines import LinesScreen
from console.run.look import LookScreen
from console.run.picture_sheet import PictureSheet
from console.run.replay import ReplayScreen
from console.safety import line_filter
from console.tables.screen import TableScreen
from engine.common.review_coverage import coverage_gaps
from engine.common.text import Untrusted
from engine.common.unicode.repertoire import outside
from engine.models import (
    AnsweredComment,
    DecisionOutcome,
    FileChange,
    FileDifference,
    Language,
    Level,
    LineComment,
    MatchMode,
    ReviewRecord,
    Revision,
    Status,
)
from engine.models.erasing.erasure import RecordedErasure
from engine.models.incident import EntryKind
from engine.models.response import ResponseRequest
from tests.console.support.fake_engine import FakeEngine, case, suggestion, summary
from tests.console.support.harness import frame, open_console, press, until
from tests.console.support.hostile_engine import hostile, untrusted_fields
from tests.console.support.payloads import PAYLOADS

replace = line_filter._replaced
OURS = re.compile(r"\x1b\[[0-9;]*[mH]|\x1b\[\?2026[hl]")
"""What the toolkit itself emits: colours, cursor to the start of a line, synchronised output."""

PARTS = 3
"""In so many tests are the screens looked at: each has a limit of time."""
Open = Callable[[ConsoleApp, Pilot[Any]], Awaitable[None]]


def keys(*pressed: str) -> Open:
    """Return how to reach a screen by keys."""

    async def reach(app: ConsoleApp, pilot: Pilot[Any]) -> None:
        await press(pilot, *pressed)

    return reach


async def paste(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Put the payload into the editor of Explore."""
    await press(pilot, "3")
    editor = app.screen.query_one(Editor)
    editor.text = app.queue[0].requester.text


def left(*pressed: str) -> Open:
    """Return how to reach what a run left."""

    async def reach(app: ConsoleApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "2")
        await until(pilot, lambda: app.screen.check_action("left", ()) is True, 60)
        await press(pilot, *pressed)

    return reach


async def approve(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open the sheet of an approval."""
    await app.push_screen(ApproveScreen(await app.connection.client.case(app.queue[0].id)))


async def own_run(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open the sheet before one's own grave code runs."""
    await app.push_screen(RunSheet(await app.connection.client.case(app.queue[0].id)))


async def changes(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open the sheet of requested changes, with a comment on hostile lines."""
    case = await app.connection.client.case(app.queue[0].id)
    about = LineComment(first=1, last=1, text=Untrusted("AAA" + case.submission.draft.purpose.text[:900]))
    draft, view = DraftComments([about], case.submission.draft.purpose.text), app.screen.query_one(CodeView)
    await app.push_screen(ChangesScreen(case, draft, 1, view))


async def revision(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open what a revision changes, with hostile comments, replies, names and lines."""
    case = await app.connection.client.case(app.queue[0].id)
    words = case.submission.draft.purpose
    diff = Untrusted(f"@@ -1,0 +1,1 @@\n+{words.text.replace(chr(10), ' ')}")
    answered = AnsweredComment(number=0, text=words, reply=words)
    files = (FileDifference(file=words, change=FileChange.CHANGED, diff=diff),)
    shown = Revision(revises="s-0", files=files, comments=(answered,))
    await app.push_screen(RevisionScreen(case, shown))


async def unsent(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Ask about a decision that was not sent, with a hostile reason."""
    case = await app.connection.client.case(app.queue[0].id)
    words = case.submission.draft.purpose.text
    await app.push_screen(UnsentScreen((PendingDecision(case, DecisionOutcome.DENIED, words),)))


async def expired(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List what expired."""
    client: Any = app.connection.client
    client.put(client.cases["s-ended-1"].model_copy(update={"status": Status.EXPIRED}))
    await app.push_screen(ExpiredScreen())


async def unread(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List what is unread, as if nothing was displayed."""
    client: Any = app.connection.client
    first = next(iter(client.cases.values()))
    await app.push_screen(UnreadScreen(unread_list(coverage_gaps(first, ReviewRecord(seconds=0)), first)))


async def effects(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show the effects of a run that ended."""
    await app.push_screen(EffectsScreen("s-ended-0"))


async def lines(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show which lines of a run's code ran."""
    await app.push_screen(LinesScreen("s-ended-0"))


async def both_lines(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show which lines of the code of two runs ran."""
    await app.push_screen(LinesScreen("s-ended-0", "s-ended-1"))


async def look(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show what a run is doing."""
    words = app.queue[0].requester.text
    await app.push_screen(LookScreen("s-ended-0", words.encode("utf-8", "replace").decode()))


async def tried(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open what was handed in from Explore before."""
    code = app.queue[0].requester.text.encode("utf-8", "replace").decode()
    snippets.save(SavedSnippet(at=datetime.now(UTC), language=Language.PYTHON, code=Untrusted(code)))
    await press(pilot, "3", "ctrl+t")


async def cells(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show code in Explore as cells."""
    await paste(app, pilot)
    editor = app.screen.query_one(Editor)
    editor.text = f"# %% {editor.text}\n{editor.text}\n# %%\n{editor.text}"
    await press(pilot, "f6")


async def variables(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List the variables of a session, with hostile names, types and texts."""
    words = app.queue[0].requester
    variable = Variable(name=words, kind=words, bytes=7, value=words)
    await app.push_screen(VariablesScreen((variable,)))


async def workspace(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List a file and a folder with hostile names."""
    words = app.queue[0].requester
    await app.push_screen(WorkspaceScreen(Workspace(app, None, "")))
    app.screen.query_one(FileList).show((Entry(words, 7), Entry(words, 7, is_folder=True)))


async def table_file(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show a table with hostile columns and cells."""
    words = app.queue[0].requester
    line = json.dumps({words.text: words.text}).encode()
    await app.push_screen(TableScreen(words, "jsonl", line))


async def picture(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show a file with a hostile name that is no picture."""
    words = app.queue[0].requester
    await app.push_screen(PictureSheet(words, words.text.encode("utf-8", "replace")))


async def welcome(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show the welcome again."""
    await app.push_screen(WelcomeScreen())


async def pre_approve(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Open the sheet of an approval beforehand."""
    await app.push_screen(PreApprovalScreen(await app.connection.client.case(app.queue[0].id)))


async def pre_approvals(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List one approval that was given beforehand."""
    await app.connection.client.pre_approvals.create(app.queue[0].id, MatchMode.EXACT, Level.HIGH, 1, 1)
    await press(pilot, "S")


async def suggestions(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List one suggested rule."""
    client = cast("FakeEngine", app.connection.client)
    words = client.cases[app.queue[0].id].submission.draft.purpose
    client.suggested = (suggestion("learned-1", words),)
    await press(pilot, "P")


async def replay(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Play the first run that ended again."""
    await app.push_screen(ReplayScreen(await app.connection.client.case("s-ended-0")))


async def beside(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Put two runs that ended side by side."""
    await app.push_screen(CompareRunsScreen("s-ended-0", "s-ended-1"))


async def responses(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List hostile blocks and responses."""
    await app.push_screen(ResponsesScreen())


async def respond(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Choose from a plan with hostile hosts."""
    plan = await app.connection.client.responses.plan("")
    await app.push_screen(RespondScreen(plan, plan.targets[0].value.text))


async def incidents(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List an incident with a hostile name and hostile notes."""
    client = app.connection.client
    text = (await client.responses.plan("")).targets[0].value.text
    made = await client.incidents.open(text)
    await client.incidents.add(made.id, EntryKind.NOTE, text)
    await app.push_screen(IncidentsScreen(of_query(text)))


async def holds(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List a legal hold with a hostile query, reason and name."""
    client = app.connection.client
    text = (await client.responses.plan("")).targets[0].value.text
    await client.erasures.hold(text, text)
    await app.push_screen(HoldsScreen(of_query(text)))


async def erasures(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List an erasure with a hostile rule, reason, submission and name."""
    client: Any = app.connection.client
    text = (await client.responses.plan("")).targets[0].value
    client.erasures.done = (
        RecordedErasure(seq=1, at=datetime.now(UTC), by=text, submission=text, rule=text, reason=text,
                        scope="everything", contents=1, records=2),
    )  # fmt: skip
    await app.push_screen(ErasuresScreen())


async def rescans(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """List a rescan with a hostile query."""
    client = app.connection.client
    text = (await client.responses.plan("")).targets[0].value.text
    await client.rescans.begin(text[:1000], 0.5)
    await app.push_screen(RescansScreen(of_query(text)))


async def confirm(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Confirm a block of a hostile host."""
    targets = (await app.connection.client.responses.plan("")).targets
    request = ResponseRequest(block=targets, reason=targets[0].value)
    await app.push_screen(ConfirmScreen("Respond", request_lines(request)))


async def prompt(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Ask for a note."""
    await app.push_screen(PromptScreen("Note", "About s-1."))


SCREENS: dict[str, tuple[str, Open]] = {
    "review": ("ReviewScreen", keys()),
    "wants": ("ReviewScreen", keys("i")),
    "violation": ("ReviewScreen", keys("n")),
    "deny": ("DenyScreen", keys("d")),
    "files": ("FilesScreen", keys("v")),
    "compare": ("CompareScreen", keys("c")),
    "pre-approve": ("PreApprovalScreen", pre_approve),
    "pre-approvals": ("PreApprovalsScreen", pre_approvals),
    "suggestions": ("SuggestionsScreen", suggestions),
    "run": ("RunScreen", keys("2")),
    "table": ("ArtifactsScreen", left("a")),
    "left": ("ArtifactsScreen", left("a", "n")),
    "explore": ("ExploreScreen", paste),
    "ask": ("RequestFormScreen", keys("3", "ctrl+n")),
    "open": ("OpenScreen", keys("3", "ctrl+o")),
    "tried": ("SnippetsScreen", tried),
    "history": ("HistoryScreen", keys("4")),
    "cells": ("CellsScreen", cells),
    "variables": ("VariablesScreen", variables),
    "workspace": ("WorkspaceScreen", workspace),
    "table-file": ("TableScreen", table_file),
    "picture": ("PictureSheet", picture),
    "pivots": ("PivotScreen", keys("4", "home", "enter", "v")),
    "case": ("CaseScreen", keys("4", "home", "enter", "o")),
    "code": ("CaseScreen", keys("4", "home", "enter", "c")),
    "events": ("CaseScreen", keys("4", "home", "enter", "e")),
    "timeline": ("CaseScreen", keys("4", "home", "enter", "t")),
    "facets": ("HistoryScreen", keys("4", "f")),
    "replay": ("ReplayScreen", replay),
    "beside": ("CompareRunsScreen", beside),
    "trends": ("TrendsScreen", keys("4", "t")),
    "approve": ("ApproveScreen", approve),
    "health": ("HealthScreen", keys("5")),
    "help": ("HelpScreen", keys("question_mark")),
    "palette": ("CommandPalette", keys("ctrl+k")),
    "jump": ("JumpScreen", keys("ctrl+g")),
    "own-run": ("RunSheet", own_run),
    "changes": ("ChangesScreen", changes),
    "revision": ("RevisionScreen", revision),
    "unsent": ("UnsentScreen", unsent),
    "expired": ("ExpiredScreen", expired),
    "unread": ("UnreadScreen", unread),
    "effects": ("EffectsScreen", effects),
    "lines": ("LinesScreen", lines),
    "look": ("LookScreen", look),
    "both-lines": ("LinesScreen", both_lines),
    "rehearsal": ("RehearsalScreen", keys("R")),
    "welcome": ("WelcomeScreen", welcome),
    "respond": ("RespondScreen", respond),
    "responses": ("ResponsesScreen", responses),
    "incidents": ("IncidentsScreen", incidents),
    "holds": ("HoldsScreen", holds),
    "erasures": ("ErasuresScreen", erasures),
    "rescans": ("RescansScreen", rescans),
    "confirm": ("ConfirmScreen", confirm),
    "prompt": ("PromptScreen", prompt),
    "columns": ("ColumnsScreen", keys("4", "C")),
}
"""What is mounted: the class of the screen in front, and how to reach it from Review. Whoever writes a screen
adds it here."""
SILENT = {"ask", "open", "help", "palette", "welcome", "prompt", "columns"}
"""Screens that show nothing that an agent or a guest wrote."""

PACKAGES = {"review", "run", "explore", "history", "health", "help", "tables"}
"""The packages of the console that have screens."""

BASES = {"Watched", "Workbench", "BaseScreen", "Searching", "ItemsSheet"}


def screens() -> set[str]:
    """Return the names of all screens of the console that a person can come to."""
    for module in pkgutil.walk_packages(console.__path__, "console."):
        if module.name.split(".")[1] in PACKAGES:
            importlib.import_module(module.name)
    found, open_ones = set[str](), list[type[Any]]([Screen])
    while open_ones:
        kinds = open_ones.pop().__subclasses__()
        open_ones += kinds
        found |= {kind.__name__ for kind in kinds if kind.__module__.split(".")[1] in PACKAGES}
    return found - BASES - {"LoadingScreen"}


def test_every_text_field_of_a_model_is_hostile() -> None:
    """No field of what the console is given was forgotten: each holds the payload."""
    engine = hostile("AAA\x1b")
    given = [*engine.cases.values(), *map(summary, engine.cases.values()), *engine.checks, engine.proof,
             *(one for events in engine.events_of.values() for one in events), *engine.retained]  # fmt: skip
    everything = set().union(*(untrusted_fields(type(one), []) for one in given))
    assert set() == everything - set().union(*(untrusted_fields(type(one), [one]) for one in given))


def test_every_screen_is_mounted() -> None:
    """A screen that the list of this file lacks fails here."""
    assert set() == screens() - {kind for kind, _ in SCREENS.values()}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("size", [(80, 24), (170, 100)], ids=["narrow", "wide"])
async def test_no_screen_lets_a_hostile_text_through(
    size: tuple[int, int], part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No frame of any screen holds a character outside the repertoire, or a link; no filter is needed."""
    replaced: list[str] = []

    def noted(text: str) -> str:
        replaced.append(text)
        return replace(text)

    monkeypatch.setattr(line_filter, "_replaced", noted)
    joined = "\n".join(PAYLOADS.values())
    async with open_console(hostile(joined, *PAYLOADS.values()), size) as (app, pilot):
        for name, (kind, reach) in [*SCREENS.items()][part::PARTS]:
            await back(app, pilot)
            try:
                await reach(app, pilot)
                await until(pilot, lambda: kind == type(app.screen).__name__, 60)  # noqa: B023  awaited at once
                await until(pilot, lambda: name in SILENT or "AAA" in plain(app), 60)  # noqa: B023
            except TimeoutError:
                raise AssertionError(f"never came to {name}: {app.screen} is in front") from None
            emitted = frame(app)
            assert (name, []) == (name, outside().findall(OURS.sub("", emitted).replace("\n", "")))
            assert "\x1b]8" not in emitted, name
            assert (name, []) == (name, replaced)


async def back(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Go back to Review as it was at first."""
    while len(app.screen_stack) > 1:
        app.pop_screen()
        await pilot.pause()
    await app.switch_mode("review")
    app.screen.remove_class("-request")
    app.clear_notifications()
    await pilot.pause()


async def test_the_reviewer_sees_every_hostile_text() -> None:
    """What stands around the hostile characters is on the Review screen: nothing is swallowed."""
    async with open_console(hostile(*PAYLOADS.values()), (200, 60)) as (app, pilot):
        for index, name in enumerate(PAYLOADS):
            app.screen.query_one(QueueList).cursor = index
            await until(pilot, lambda: PAYLOADS[name] in visible_text(app), 60)  # noqa: B023  awaited at once
            await pilot.pause()
            text = plain(app)
            assert (name, True) == (name, "AAA" in text)
            assert (name, True) == (name, name in {"huge", "many"} or "ZZZ" in text)


def visible_text(app: ConsoleApp) -> str:
    """Return the code that is in the code view, as it came."""
    return "\n".join(app.screen.query_one(CodeView).lines)


async def test_markup_is_shown_exactly() -> None:
    """Code that looks like the toolkit's markup is on screen as it was written."""
    code = "re.compile(r'[a-z]+[/x]')\ny = d['k'][i]\n[@click=app.bell()]x[/]\n"
    async with open_console(FakeEngine(case("s-1", code, who="[b]me[/b]"))) as (app, pilot):
        await until(pilot, lambda: "[a-z]+[/x]" in plain(app))
        shown = plain(app)
        assert "re.compile(r'[a-z]+[/x]')" in shown
        assert "y = d['k'][i]" in shown
        assert "[@click=app.bell()]x[/]" in shown
        assert "[b]me[/b]" in shown


def plain(app: ConsoleApp) -> str:
    """Return the frame without colours."""
    return OURS.sub("", frame(app))


@pytest.mark.parametrize("level", Level)
async def test_a_notice_is_never_markup(level: Level) -> None:
    """A notice about hostile text shows it, marks and all."""
    async with open_console(FakeEngine()) as (app, pilot):
        app.notify(f"[/{level.value}] \x1b[2J [@click=app.quit()]x[/]", title="[/]\x07")
        await until(pilot, lambda: f"[/{level.value}] ␛[2J" in plain(app))
