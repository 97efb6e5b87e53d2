"""Trends: metrics of submissions, decisions and runs over days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from console.app.state import console_app
from console.history.pivots import PivotScreen
from console.safety.text import Part, pad, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import bar, lasted
from console.widgets.header import AppHeader
from engine.common.text import many
from engine.history.search.pivots import behind_figures
from engine.models import Trends

SPANS = {"1": 1, "7": 7, "30": 30, "90": 90}
HOURS = 24
ALARM = 0.1
"""Rates above this are drawn as errors."""
BLOCKS = " ▁▂▃▄▅▆▇█"


class TrendsScreen(Screen[str | None]):
    """Shows the metrics; opens over History. Returns a query to search for, or None."""

    AUTO_FOCUS = "#scroll"
    HELP_TITLE = "Trends"
    HELP_WORDS = (
        "Kills by reason and hour, time to decide, expired submissions, approvals too fast to have been "
        "reviewed, and the busiest requesters. d switches between 1, 7, 30 and 90 days. v searches for "
        "what is behind a figure."
    )
    DEFAULT_CSS = """
    TrendsScreen #scroll { height: 1fr; padding: 0 1; }
    TrendsScreen #scroll Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "span", "Days", id="trends.span", tooltip="Show 1, 7, 30 or 90 days"),
        Binding("v", "pivot", "Pivot", id="trends.pivot", tooltip="Search for what is behind a figure"),
        Binding("r", "reload", "Reload", id="trends.reload", tooltip="Load the metrics again"),
        Binding("escape,q", "leave", "Back", id="trends.leave", tooltip="Close the metrics"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._days = 7
        self._trends: Trends | None = None

    def compose(self) -> ComposeResult:
        """Lay out one page that scrolls."""
        yield AppHeader("history")
        with VerticalScroll(id="scroll", classes="box"):
            yield Static("Loading …", id="metrics")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the metrics."""
        self.action_reload()

    @work(exclusive=True)
    async def action_reload(self) -> None:
        """Load the metrics again."""
        days = self._days
        self.query_one("#scroll").border_title = f"Trends, last {many(days, 'day')}"
        found = await console_app(self).connection.call(lambda client: client.history.trends(days))
        if found is not None and days == self._days:
            self._trends = found
            self.query_one("#metrics", Static).update(paragraphs(*metric_lines(found, self.size.width - 6)))

    def action_span(self) -> None:
        """Show the next number of days."""
        spans = list(SPANS.values())
        self._days = spans[(spans.index(self._days) + 1) % len(spans)]
        self.action_reload()

    def action_pivot(self) -> None:
        """Ask which figure, and search the history for what is behind it."""
        if self._trends is not None and self._trends.submissions:
            self.app.push_screen(PivotScreen(behind_figures(self._trends, self._days)), self._pivoted)

    def _pivoted(self, query: str | None) -> None:
        if query:
            self.dismiss(query)

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss(None)


def metric_lines(trends: Trends, width: int) -> list[list[Part]]:
    """Return the page: totals, rates, kills by hour, time to decide, busiest requesters."""
    if not trends.submissions:
        return [[("No submissions in this period.", "bold success")], [],
                [("d shows a longer period.", "muted")]]  # fmt: skip
    cells = max(8, min(40, width - 54))
    alarm = "  more than 2 % of runs; search History for kill:memory"
    return [
        [(f"{trends.submissions:,}", "bold"), " submissions, ", (f"{trends.runs:,}", "bold"), " runs"],
        [],
        _share("killed: memory", trends.memory_share, cells, alarm=trends.memory_alert),
        [(alarm if trends.memory_alert else "", "bold error")],
        _share("expired", trends.expired_share, cells, alarm=trends.expired_share > ALARM),
        _share("approved in < 3 s", trends.hasty_share, cells, alarm=trends.hasty_share > ALARM),
        *_titled("Kills by hour", _kills(trends.kills_by_hour)),
        *_titled("Time to decide", _times(trends, cells)),
        *_titled("Busiest requesters", _busiest(trends.busiest, cells)),
    ]


def _titled(title: str, lines: list[list[Part]]) -> list[list[Part]]:
    return [[], [(title, "bold muted")], *lines]


def _share(title: str, share: float, cells: int, *, alarm: bool) -> list[Part]:
    style = "error" if alarm else "success"
    return [(f"{title:<20}", "muted"), *bar(share, cells, style), (f" {share:7.1%}", f"bold {style}")]


def _kills(by_hour: Mapping[str, Mapping[str, int]]) -> list[list[Part]]:
    hours = list(by_hour)[-HOURS:]
    if not hours:
        return [[("No kills.", "success")]]
    reasons = sorted({reason for hour in hours for reason in by_hour[hour]})
    most = max(count for hour in hours for count in by_hour[hour].values())
    lines: list[list[Part]] = [
        [(f"{reason:<14}", "error" if reason == "memory" else "muted"),
         ("".join(_block(by_hour[hour].get(reason, 0), most) for hour in hours), "primary"),
         (f"  {sum(by_hour[hour].get(reason, 0) for hour in hours):,}", "bold")]
        for reason in reasons
    ]  # fmt: skip
    span = f"{hours[0].replace('T', ' ')} h to {hours[-1].replace('T', ' ')} h, hours with kills only"
    return [*lines, [(f"{'':14}{span}", "faint")]]


def _block(count: int, most: int) -> str:
    return BLOCKS[0 if not count else max(1, round(8 * count / most))]


def _times(trends: Trends, cells: int) -> list[list[Part]]:
    slowest = max((times.p95 for times in trends.decision_seconds.values()), default=0) or 1
    if not trends.decision_seconds:
        return [[("No decisions by a person.", "muted")]]
    return [
        [(f"{level.value:<14}", f"risk-{level.value}"), *bar(times.p50 / slowest, cells, "primary"),
         (f" p50 {lasted(times.p50)}, p95 {lasted(times.p95)}, total {times.count:,}", "muted")]
        for level, times in trends.decision_seconds.items()
    ]  # fmt: skip


def _busiest(busiest: Mapping[str, int], cells: int) -> list[list[Part]]:
    most = max(busiest.values(), default=1)
    return [
        [pad(name, 19), " ", *bar(count / most, cells, "primary"), (f" {count:,}", "muted")]
        for name, count in busiest.items()
    ]
