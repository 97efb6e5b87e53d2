"""The case of one submission: facts, output, code, events and timeline."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input, Static

from console.app.state import console_app
from console.code_view.view import CodeView
from console.history.case_facts import case_lines, event_lines, paused_fact, rehearsal_fact
from console.history.erased import erased_lines, erased_sentence, report_erased, rules_by_item
from console.history.pivots import PivotScreen
from console.history.responding.pane import RespondingPane
from console.history.responding.selection import of_submissions
from console.history.timeline import timeline_lines
from console.run.effects import EffectsScreen, summary_line
from console.run.line_margin import line_margin
from console.run.lines import LinesScreen
from console.run.output_log import OutputLog
from console.run.saving import save_case_file
from console.safety.clipboard import copy_id
from console.safety.text import Part, content, paragraphs
from console.widgets.file_name_prompt import FileNamePrompt
from console.widgets.fitted_lines import FittedLines
from console.widgets.footer import KeyFooter
from console.widgets.formatting import size
from console.widgets.header import AppHeader
from engine.client.client import Client
from engine.history.search.pivots import pivots
from engine.models import Case, Event

TITLES = {"output": "Output", "code": "Code", "trail": "Events", "steps": "Timeline"}


class CaseScreen(Screen[str | None]):
    """Shows everything about one submission; opens over History or Run."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Case"
    HELP_WORDS = (
        "The facts of a submission, and its output, code, events or timeline; Tab switches between them. The "
        "timeline shows each step, its actor and the time it took. v searches for what leads on from it. p "
        "replays the run. R responds (stops, pauses, blocks), i adds to an incident, n notes, T tags, E "
        "holds or erases, A rescans. x saves the case file, which anyone can verify: verify.py --key KEY."
    )
    DEFAULT_CSS = """
    CaseScreen Horizontal { height: 1fr; }
    CaseScreen RespondingPane { height: 1fr; }
    CaseScreen #facts { width: 2fr; max-width: 64; padding: 0 1; height: 100%; }
    CaseScreen #facts Static { height: auto; }
    CaseScreen #seen { width: 3fr; height: 100%; }
    CaseScreen ContentSwitcher { height: 1fr; }
    CaseScreen #erased { padding: 1 2; color: $warning; }
    CaseScreen #trail { padding: 0 1; }
    CaseScreen #trail Static { height: auto; }
    CaseScreen #steps { padding: 0 1; }
    CaseScreen #steps Static { height: auto; }
    CaseScreen.-narrow Horizontal { layout: vertical; }
    CaseScreen.-narrow #facts { width: 100%; max-width: 100%; height: 9; }
    CaseScreen.-narrow #seen { width: 100%; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "see('output')", "Output", id="case.output", tooltip="Show the output"),
        Binding("c", "see('code')", "Code", id="case.code", tooltip="Show the code with its violations"),
        Binding("e", "see('trail')", "Events", id="case.events", tooltip="Show its events"),
        Binding("t", "see('steps')", "Timeline", id="case.timeline", tooltip="Show each step and its time"),
        Binding("f", "effects", "Effects", id="case.effects", show=False,
                tooltip="Show what the run did, beside what was predicted and granted"),
        Binding("l", "lines", "Lines", id="case.lines", show=False,
                tooltip="Show the code with the lines that ran, as the guest says"),
        Binding("y", "copy", "Copy ID", id="case.copy", show=False, tooltip="Copy its ID to the clipboard"),
        Binding("v", "pivot", "Pivot", id="case.pivot", tooltip="Search for what leads on from it"),
        Binding("p", "replay", "Replay", id="case.replay", tooltip="Replay the run"),
        Binding("x", "export", "Export", id="case.export",
                tooltip="Save a zip that anyone can verify"),
        Binding("escape,q", "leave", "Back", id="case.leave", tooltip="Close the case"),
    ]  # fmt: skip

    def __init__(self, id: str, *, leads_on: bool = False) -> None:
        """Show the submission `id`; with `leads_on` it may be left with a query for what leads on."""
        super().__init__()
        self._leads_on = leads_on
        self._trail: tuple[Event, ...] = ()
        self._subject = id
        self._case: Case | None = None
        self._titles = dict(TITLES)
        self._erased: dict[str, str] = {}
        """The parts that retention erased, and the rule that erased each."""

    def compose(self) -> ComposeResult:
        """Lay out the facts and the views."""
        yield AppHeader("history")
        selected = of_submissions((self._subject,))
        with RespondingPane(lambda search: selected, leads_on=self._leads_on), Horizontal():
            with VerticalScroll(id="facts", classes="box") as facts:
                facts.border_title = "Case"
                yield FittedLines(id="case-facts")
            with Vertical(id="seen", classes="box"), ContentSwitcher(initial="output"):
                yield OutputLog(id="output")
                yield CodeView(id="code")
                yield Static(id="erased")
                with VerticalScroll(id="trail"):
                    yield Static(id="events")
                with VerticalScroll(id="steps"):
                    yield Static(id="timeline")
        yield FileNamePrompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load everything."""
        self.query_one(OutputLog).hint = "Loading …"
        self.action_see("output")
        self._load()

    @work
    async def _load(self) -> None:
        app = console_app(self)
        case = await app.connection.call(lambda client: client.case(self._subject))
        if case is None:
            return
        self._case = case
        self.query_one(OutputLog).hint = "No output." if case.started_at else "It did not run."
        draft = case.submission.draft
        self._show_facts(case)
        self.query_one(CodeView).show(draft.code, draft.language, case.analysis.violations)
        await self._show_erased(case)
        if case.started_at is None:
            self.action_see("code")
        trail = await app.connection.call(lambda client: client.history.events(self._subject)) or ()
        self._trail = trail
        self._show_facts(case)
        self.query_one("#events", Static).update(
            paragraphs(*(line for each in trail for line in event_lines(each)))
        )
        self._show_timeline()
        if case.started_at is not None:
            await self._show_lines()
            await self._show_effects(case)
            await app.connection.call(self._read)

    def on_resize(self) -> None:
        """Fit the timeline to the new width."""
        self.call_after_refresh(self._show_timeline)

    def _show_timeline(self) -> None:
        if not self._trail:
            return
        width = self.query_one("#seen").content_size.width - 1
        self.query_one("#timeline", Static).update(paragraphs(*timeline_lines(self._trail, width)))

    async def _show_lines(self) -> None:
        """Show in the margin of the code which lines ran."""
        found = await console_app(self).connection.call(lambda client: client.lines(self._subject))
        if found is not None and found.marks:
            self._titles["code"] = "Code, with the lines that ran, as the guest says"
            self.query_one(CodeView).show_margin(line_margin(found))

    async def _show_effects(self, case: Case) -> None:
        """Add to the facts what the run did, where anything is known of it."""
        found = await console_app(self).connection.call(lambda client: client.effects(self._subject))
        if found is not None and (found.effects or found.observation):
            self._show_facts(case, summary_line(found))

    def _show_facts(self, case: Case, *more: list[Part]) -> None:
        """Show the facts, with what the rehearsals and the run did in front."""
        lines = case_lines(case)
        lines[2:2] = [*rehearsal_fact(self._trail), *paused_fact(self._trail), *more]
        self.query_one(FittedLines).show([*lines, *erased_lines(self._erased)])

    async def _show_erased(self, case: Case) -> None:
        """Show which parts retention erased."""
        self._erased = rules_by_item(
            await console_app(self).connection.call(lambda client: client.history.erasures(self._subject))
            or ()
        )
        if self._erased:
            self._show_facts(case)
            self.query_one("#erased", Static).update(content(erased_sentence("code", self._erased)))

    async def _read(self, client: Client) -> None:
        log = self.query_one(OutputLog)
        with report_erased(partial(setattr, log, "hint")):
            async with contextlib.aclosing(client.output(self._subject)) as written:
                async for chunk in written:
                    log.add(chunk)

    def action_see(self, what: str) -> None:
        """Show output, code, events or timeline."""
        place = "erased" if what == "code" and "code" in self._erased else what
        self.query_one(ContentSwitcher).current = place
        self.query_one(f"#{place}").focus()
        self.query_one("#seen").border_title = self._titles[what]
        if what == "steps":
            self._show_timeline()

    def action_effects(self) -> None:
        """Show what the run did."""
        if self._case is not None:
            self.app.push_screen(EffectsScreen(self._subject))

    def action_lines(self) -> None:
        """Show which lines of the code ran."""
        if self._case is not None:
            self.app.push_screen(LinesScreen(self._subject))

    def action_replay(self) -> None:
        """Replay the run, if there is one that ended."""
        from console.run.replay import ReplayScreen  # noqa: PLC0415  on its first use

        if self._case is not None and self._case.result is not None:
            self.app.push_screen(ReplayScreen(self._case))
        else:
            self.notify("No run to replay.", severity="warning")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a pivot only where there is a search to change."""
        return self._leads_on if action == "pivot" else True

    def action_pivot(self) -> None:
        """Ask what leads on, and search the history for it."""
        if self._case is not None:
            self.app.push_screen(PivotScreen(pivots(self._case, self._trail)), self._pivoted)

    def _pivoted(self, query: str | None) -> None:
        if query:
            self.dismiss(query)

    @on(RespondingPane.SearchWanted)
    def _search_wanted(self, message: RespondingPane.SearchWanted) -> None:
        self.dismiss(message.query)

    def action_copy(self) -> None:
        """Copy the ID."""
        if self._case is not None:
            copy_id(self.app, self._case)

    def action_export(self) -> None:
        """Ask for the name of a file."""
        self.query_one(FileNamePrompt).ask("Save the case file as", f"{self._subject}.zip")

    @on(Input.Submitted, "FileNamePrompt")
    def _file_named(self, message: Input.Submitted) -> None:
        self.action_leave()
        self._export(message.value)

    @work(exclusive=True, group="export")
    async def _export(self, name: str) -> None:
        saved = await console_app(self).connection.call(
            lambda client: save_case_file(client, self._subject, name)
        )
        if saved is not None:
            self.notify(f"Saved {size(saved)} to {name}. To verify: pratique audit verify-case FILE")

    def action_leave(self) -> None:
        """Close the line for a file name, or the case."""
        prompt = self.query_one(FileNamePrompt)
        if not prompt.is_open:
            self.dismiss(None)
        prompt.close()
