"""The choices of a response: what becomes of the runs, how long blocks last, and what is blocked."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from console.history.responding.steps import target_words
from console.safety.text import Part, clip
from console.widgets.rows import Rows
from engine.common.text import Untrusted, many
from engine.models.response import BlockTarget, ResponsePlan, ResponseRequest

HOURS = (1.0, 4.0, 24.0, 72.0, 168.0, 720.0, 2160.0)
RUNS = ("leave them", "pause them", "stop them")
ABOVE = 2
"""Rows above those of what can be blocked: the runs, and the hours."""


class PlanRows(Rows):
    """Nothing is chosen at first. Space chooses; left and right change the runs and the hours."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose_row", "Choose", id="respond.choose", tooltip="Choose, or choose no longer"),
        Binding("left,minus", "adjust(-1)", "Less", id="respond.less", show=False, tooltip="One step less"),
        Binding("right,plus", "adjust(1)", "More", id="respond.more", show=False, tooltip="One step more"),
    ]

    def __init__(self, plan: ResponsePlan) -> None:
        super().__init__(id="plan")
        self._plan = plan
        self._runs = 0
        self._hours = HOURS.index(24.0)
        self._chosen: set[int] = set()

    @property
    def count(self) -> int:
        """How many rows there are."""
        return ABOVE + len(self._plan.targets)

    def request(self, reason: str) -> ResponseRequest:
        """Return what is chosen."""
        runs = self._plan.running
        return ResponseRequest(
            query=self._plan.query,
            stop=runs if self._runs == 2 else (),
            pause=runs if self._runs == 1 else (),
            block=tuple(self._plan.targets[index] for index in sorted(self._chosen)),
            hours=HOURS[self._hours],
            reason=Untrusted(reason),
        )

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a choice."""
        if index == 0:
            return self._runs_row()
        if index == 1:
            return [" ", ("◂ ▸", "muted"), " blocks last ", (f"{HOURS[self._hours]:g} h", "bold")]
        return self._target_row(index - ABOVE, self._plan.targets[index - ABOVE], width)

    def _runs_row(self) -> list[Part]:
        going = many(len(self._plan.running), "run")
        if not self._plan.running:
            return [" ", ("    no run of these goes on", "muted")]
        return [" ", ("◂ ▸", "muted"), f" {going} going on: ", (RUNS[self._runs], "bold")]

    def _target_row(self, at: int, target: BlockTarget, width: int) -> list[Part]:
        sign: Part = ("[x]", "bold error") if at in self._chosen else ("[ ]", "muted")
        return [" ", sign, " block ", clip(target_words(target), max(8, width - 12))]

    def action_choose_row(self) -> None:
        """Choose the row under the cursor, or choose it no longer."""
        if self.cursor < ABOVE:
            self.action_adjust(1)
            return
        self._chosen ^= {self.cursor - ABOVE}
        self.refresh()

    def action_adjust(self, step: int) -> None:
        """Change what becomes of the runs, or the hours."""
        if self.cursor == 0 and self._plan.running:
            self._runs = (self._runs + step) % len(RUNS)
        elif self.cursor == 1:
            self._hours = max(0, min(self._hours + step, len(HOURS) - 1))
        self.refresh()
