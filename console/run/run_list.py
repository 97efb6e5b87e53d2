"""The runs: what runs and what is about to, then what ended lately."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import ClassVar

from console.run.usage import Usage
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
    Status.EXPIRED: ("⊘", "warning"),
    Status.REFUSED: ("⊗", "error"),
}


HELD = ("‖", "bold warning")
FAILED = ("!", "bold warning")


class RunList(OfflineRows):
    """Keeps its place by run, not by number."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("Nothing runs.", "bold success")],
        [],
        [("What is approved under", "muted")],
        [("1 Review", "primary"), (" runs here, live.", "muted")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Runs"
        self._runs: tuple[Summary, ...] = ()
        self.usage: Mapping[str, Usage] = {}
        """What each run used in the last minute, by the run's id."""
        self.frozen: Container[str] = ()
        """The ids of the runs that are held."""

    def on_mount(self) -> None:
        """Let the sparklines move once a second."""
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

    def show(self, runs: tuple[Summary, ...]) -> None:
        """Take in the runs; a run that just began is chosen where nothing that runs was."""
        kept, old = self.chosen, {each.id for each in self._runs}
        self._runs = runs
        wanted = kept.id if kept else None
        fresh = next((each.id for each in runs if each.id not in old and each.status is Status.RUNNING), None)
        if fresh and (kept is None or kept.status is not Status.RUNNING):
            wanted = fresh
        places = [index for index, each in enumerate(runs) if each.id == wanted]
        self.set_reactive(RunList.cursor, places[0] if places else 0)
        self.refit()

    def row_height(self, *, narrow: bool) -> int:
        """Return one line where the screen is narrow, else two."""
        return 1 if narrow else 2

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a run: sign, name and how it stands; then what it uses, and its first line."""
        run = self._runs[index]
        held = run.id in self.frozen
        sign, end = (HELD, ("held", "bold warning")) if held else (signed(run), ending(run))
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
        """Return the memory of a run over the last minute as a line, and in words."""
        usage = self.usage.get(run.id)
        if usage is None or usage.last is None:
            return [(" " * cells, "faint")]
        peak = max(1, usage.last.memory_peak)
        past = usage.past(lambda at: at.memory / peak, cells)
        return [(f"{past:<{cells}}", "primary"), (f"  {size(usage.last.memory):>8}", "muted")]


def _below(run: Summary, width: int) -> list[Part]:
    """Return how long a run took, and its first line."""
    took = f"{lasted(run.duration)}  " if run.status in {Status.FINISHED, Status.KILLED} else ""
    return [(took, "muted"), (clip(run.first_line, max(4, width - len(took))), "faint")]


def signed(run: Summary) -> tuple[str, str]:
    """Return the sign of how a run stands or ended, and its ink; code that failed is not told as well."""
    failed = run.status is Status.FINISHED and run.exit_code != 0
    return FAILED if failed else SIGNS[run.status]


def ending(run: Summary) -> tuple[str, str]:
    """Return how a run ended, or how it stands, and its ink."""
    if run.status is Status.KILLED and run.kill_reason is not None:
        return f"killed: {run.kill_reason.value}", "error"
    if run.status is Status.FINISHED:
        code = run.exit_code if run.exit_code is not None else "?"
        return f"exit {code} in {lasted(run.duration)}", "muted" if run.exit_code == 0 else "warning"
    return run.status.value, "success" if run.status is Status.RUNNING else "muted"
