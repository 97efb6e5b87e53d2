"""Compares two submissions: facts, code, output and observed effects."""

from __future__ import annotations

import contextlib
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from console.app.state import console_app
from console.code_view.difference import difference
from console.history.erased import PART, erased_sentence, report_erased, rules_by_item
from console.review.compare import DifferenceRows
from console.review.requests import limits
from console.run.lines import LinesScreen
from console.run.result_text import case_outcome
from console.run.usage import limits_of
from console.safety.text import Part, clip, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import full_badge, lasted, size, when
from console.widgets.formatting import now as this_moment
from console.widgets.header import AppHeader
from engine.client.client import Client
from engine.common.effects.effect_lines import effect_words
from engine.models import Case

MAX_OUTPUT = 1 << 18
"""Bytes of each output that are compared."""
TITLES = {"code": "Code", "output": "Output", "effects": "Observed effects"}


class CompareRunsScreen(Screen[None]):
    """`-` is the marked submission, `+` the other."""

    AUTO_FOCUS = "#difference"
    HELP_TITLE = "Compare runs"
    HELP_WORDS = "Above: the facts of both. Below: the lines in which code, output or effects differ."
    DEFAULT_CSS = """
    CompareRunsScreen #facts { height: auto; max-height: 14; padding: 0 1; }
    CompareRunsScreen #seen { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "see('code')", "Code", id="compare-runs.code", tooltip="Compare the code"),
        Binding("o", "see('output')", "Output", id="compare-runs.output", tooltip="Compare the output"),
        Binding("e", "see('effects')", "Effects", id="compare-runs.effects",
                tooltip="Compare what both did, as the kernel of their sandboxes saw it"),
        Binding("l", "lines", "Lines", id="compare-runs.lines",
                tooltip="Compare which lines of the same code ran, as the guests say"),
        Binding("escape,q", "leave", "Back", id="compare-runs.leave", tooltip="Back"),
    ]  # fmt: skip

    def __init__(self, first: str, second: str) -> None:
        super().__init__()
        self._ids = (first, second)
        self._texts: dict[str, tuple[str, str]] = {}

    def compose(self) -> ComposeResult:
        """Lay out the facts of both, and the difference."""
        yield AppHeader("history")
        yield Static(id="facts", classes="box")
        with Vertical(id="seen", classes="box"):
            yield DifferenceRows()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load both."""
        self.query_one("#facts").border_title = "Compare runs"
        self._load()

    @work
    async def _load(self) -> None:
        await console_app(self).connection.call(self._read)

    async def _read(self, client: Client) -> None:
        first, second = [await client.case(id) for id in self._ids]
        self.query_one("#facts", Static).update(paragraphs(*facts(first, second, self.size.width - 4)))
        self._texts["code"] = (await _code(client, first), await _code(client, second))
        self.action_see("code")
        self._texts["output"] = (await _written(client, first), await _written(client, second))
        self._texts["effects"] = (await _effects(client, first), await _effects(client, second))

    def action_see(self, what: str) -> None:
        """Show the difference of the code or of the output."""
        if what in self._texts:
            self.query_one("#seen").border_title = f"{TITLES[what]}: - {self._ids[0]}   + {self._ids[1]}"
            self.query_one(DifferenceRows).show(difference(*self._texts[what]))

    def action_lines(self) -> None:
        """Show the lines that ran in both, where the code is the same."""
        if "code" in self._texts and self._texts["code"][0] == self._texts["code"][1]:
            self.app.push_screen(LinesScreen(*self._ids))
        elif "code" in self._texts:
            self.notify("Lines are compared between runs of the same code; these differ.", severity="warning")

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()


async def _code(client: Client, case: Case) -> str:
    """Return the code, or a sentence that it was erased."""
    id = case.submission.id
    missing = erased_sentence("code", rules_by_item(await client.history.erasures(id)))
    return f"{id}: {missing}" if missing else case.submission.draft.code.text


async def _effects(client: Client, case: Case) -> str:
    """Return what a run did, a line for each effect, without its time, and without what every run does."""
    if case.started_at is None:
        return ""
    found = (await client.effects(case.submission.id)).effects
    return "\n".join(sorted({effect_words(each) for each in found if not each.routine}))


async def _written(client: Client, case: Case) -> str:
    """Return the output up to `MAX_OUTPUT` bytes, or a sentence that it was erased."""
    if case.started_at is None:
        return ""
    data, missing = b"", list[str]()
    with report_erased(missing.append):
        async with contextlib.aclosing(client.output(case.submission.id)) as chunks:
            async for chunk in chunks:
                data += chunk.data
                if len(data) >= MAX_OUTPUT:
                    break
    if cut := erased_sentence(PART, rules_by_item(await client.history.erasures(case.submission.id))):
        missing.append(f"{cut}\n{data[:MAX_OUTPUT].decode(errors='replace')}")
    return "".join(missing) or data[:MAX_OUTPUT].decode(errors="replace")


def facts(first: Case, second: Case, width: int) -> list[list[Part]]:
    """Return a line for each fact: its name, then both values, bold if they differ."""
    room = max(8, (width - 13) // 2)
    return [
        [
            (f"{name:<12} ", "muted"),
            *(_cell(text, ink, room, bold=left[0] != right[0]) for text, ink in (left, right)),
        ]
        for name, left, right in zip(NAMES, _facts(first), _facts(second), strict=True)
    ]


NAMES = ("submission", "risk", "requested by", "submitted", "outcome", "decided by", "granted", "duration",
         "peak memory", "CPU time", "output")  # fmt: skip


def _cell(text: str, ink: str, room: int, *, bold: bool) -> tuple[str, str]:
    line = clip(text, room - 1)
    return line + " " * max(0, room - len(line)), f"bold {ink}" if bold and "bold" not in ink else ink


def _facts(case: Case) -> list[tuple[str, str]]:
    submission, result, decision = case.submission, case.result, case.decision
    end, ink = case_outcome(case)
    badge, risk = full_badge(case.assessment.risk)
    output = f"stdout {size(result.stdout_bytes)}, stderr {size(result.stderr_bytes)}" if result else "–"
    return [
        (submission.id, "foreground"),
        (badge, risk),
        (clip(submission.requester.name, 200), "foreground"),
        (when(submission.submitted_at, this_moment()), "foreground"),
        (end, ink),
        (clip(decision.by.name, 200) if decision else "–", "foreground"),
        (" · ".join(limits(limits_of(case))) if decision and decision.grant else "–", "foreground"),
        (lasted(result.duration if result else None), "foreground"),
        (size(result.memory_peak if result else None), "foreground"),
        (f"{result.cpu_seconds:.2f} s" if result else "–", "foreground"),
        (output, "foreground"),
    ]
