"""The list of runs: running and queued ones first, then those that ended recently."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import ClassVar

from console.run.result_text import outcome
from console.run.usage import UsageHistory
from console.safety.text import Part, clip, pad
from console.widgets.formatting import lasted, size
from console.widgets.offline_rows import OfflineRows
from engine.models import Status, Summary

END_CELLS = 18
RAN = frozenset({Status.QUEUED, Status.RUNNING, Status.FINISHED, Status.KILLED})
SIGNS = {
    Status.QUEUED: ("◌", "muted"),
    Status.RUNNING: ("▶", "bold success"),
    Status.FINISHED: ("✓", "success"),
    Status.KILLED: ("✗", "bold error"),
    Status.PENDING: ("…", "accent"),
    Status.DENIED: ("−", "error"),
    Status.CHANGES_REQUESTED: ("~", "warning"),
    Status.EXPIRED: ("⊘", "warning"),
    Status.REFUSED: ("⊗", "error"),
    Status.DRILL: ("◇", "muted"),
}


PAUSED = ("‖", "bold warning")
FAILED = ("!", "bold warning")


class RunList(OfflineRows):
    """Keeps the cursor on the same run when the list changes."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No runs.", "bold success")],
        [],
        [("What you approve under", "muted")],
        [("1 Review", "primary"), (" runs here.", "muted")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Runs"
        self._runs: tuple[Summary, ...] = ()
        self.usage: Mapping[str, UsageHistory] = {}
        """What each run used in the last minute, by run ID."""
        self.paused: Container[str] = ()
        """The IDs of the paused runs."""

    def on_mount(self) -> None:
        """Draw the sparklines once a second."""
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        if self.screen.is_current and any(each.status is Status.RUNNING for each in self._runs):
            self.freshen()

    @property
    def count(self) -> int:
        """How many runs are listed."""
        return len(self._runs)

    @property
    def chosen(self) -> Summary | None:
        """The run under the cursor."""
        return self._runs[self.cursor] if self._runs else None

    def show(self, runs: tuple[Summary, ...], expected: str = "") -> None:
        """Show these runs; select the expected one, else one that just started, unless one runs there."""
        kept, old = self.chosen, {each.id for each in self._runs}
        self._runs = runs
        wanted = kept.id if kept else None
        fresh = next((each.id for each in runs if each.id not in old and each.status is Status.RUNNING), None)
        if fresh and (kept is None or kept.status is not Status.RUNNING):
            wanted = fresh
        wanted = expected if any(each.id == expected for each in runs) else wanted
        places = [index for index, each in enumerate(runs) if each.id == wanted]
        self.set_reactive(RunList.cursor, places[0] if places else 0)
        self.refit()

    def row_height(self, *, narrow: bool) -> int:
        """Return one line on a narrow screen, else two."""
        return 1 if narrow else 2

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a run: sign, requester and status; below, its memory or its first line of code."""
        run = self._runs[index]
        paused = run.id in self.paused
        sign, end = (PAUSED, ("paused", "bold warning")) if paused else (status_sign(run), outcome(run))
        going = run.status is Status.RUNNING
        if self.ROW_HEIGHT == 1:
            use = self._use(run, 12)[:1] if going else []
            left = width - END_CELLS - (42 if use else 28)
            words = (pad(end[0], END_CELLS), end[1])
            return [" ", sign, "  ", pad(run.requester, 18), "  ", words, "  ", *use, "  ",
                    (clip(run.first_line, max(4, left)), "faint")]  # fmt: skip
        if line:
            return ["    ", *(self._use(run, width - 18) if going else _below(run, width - 5))]
        if run.status is Status.FINISHED:
            end = (end[0].partition(" in ")[0], end[1])
        name = clip(run.requester, max(4, width - len(end[0]) - 6))
        return [" ", sign, "  ", name, "  ", end]

    def _use(self, run: Summary, cells: int) -> list[Part]:
        """Return the memory of a run as a sparkline of the last minute and as a number."""
        usage = self.usage.get(run.id)
        if usage is None or usage.last is None:
            return [(" " * cells, "faint")]
        peak = max(1, usage.last.memory_peak)
        past = usage.past(lambda at: at.memory / peak, cells)
        return [(f"{past:<{cells}}", "primary"), (f"  {size(usage.last.memory):>8}", "muted")]


def _below(run: Summary, width: int) -> list[Part]:
    """Return the duration of a run, and its first line of code."""
    took = f"{lasted(run.duration)}  " if run.status in {Status.FINISHED, Status.KILLED} else ""
    return [(took, "muted"), (clip(run.first_line, max(4, width - len(took))), "faint")]


def status_sign(run: Summary) -> tuple[str, str]:
    """Return the sign and style of a status; a run whose code failed has a sign of its own."""
    failed = run.status is Status.FINISHED and run.exit_code != 0
    return FAILED if failed else SIGNS[run.status]
