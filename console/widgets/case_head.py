"""The lines above the code: what it is, who asked, how risky, how long there is to decide."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from console.text import Part, clip, content
from console.units import full_badge, size
from console.widgets.queue import time_bar, time_left
from engine.models import Case, Status, Summary


class CaseHead(Static):
    """Two lines about the submission that is shown."""

    DEFAULT_CSS = """
    CaseHead { height: 2; padding: 0 1; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._case: Case | None = None
        self._summary: Summary | None = None
        self._state: tuple[Part, ...] = ()

    def on_mount(self) -> None:
        """Let the bar shrink."""
        self.set_interval(0.5, self._tick)

    def _tick(self) -> None:
        if self.screen.is_current:
            self._draw()

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._draw()

    def show(self, case: Case | None, summary: Summary | None) -> None:
        """Show another submission."""
        self._case, self._summary = case, summary
        self._draw()

    def say(self, *state: Part) -> None:
        """Say what stands between the person and a decision."""
        if state != self._state:
            self._state = state
            self._draw()

    def _draw(self) -> None:
        if self._case is None:
            self.update(content())
            return
        self.update(Content("\n").join([self._first(self._case), self._second(self._case)]))

    def _first(self, case: Case) -> Content:
        draft = case.submission.draft
        left = content(
            full_badge(case.assessment.risk), "  ", (case.submission.id, "bold"), "  ",
            (f"{draft.language.value}, {_lines(draft.code.text)}, {size(len(draft.code.text.encode()))}",
             "muted"),
        )  # fmt: skip
        return self._spread(left, content(*self._time(case)))

    def _time(self, case: Case) -> list[Part]:
        if case.status is not Status.WAITING or self._summary is None:
            return [(case.status.value, "bold")]
        bar = time_bar(self._summary, 12)
        return [*bar, (f" {time_left(self._summary)} to decide" if bar else "no deadline", "bold")]

    def _second(self, case: Case) -> Content:
        width = max(8, self.content_size.width - 24)
        files = len(case.submission.draft.files)
        parts: list[Part] = [("asked by ", "muted"), clip(case.submission.requester.name, width // 2)]
        if files:
            parts.append((f"  with {files} input file{'s' if files > 1 else ''}", "muted"))
        return self._spread(content(*parts), content(*self._state))

    def _spread(self, left: Content, right: Content) -> Content:
        room = self.content_size.width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(1, room), right)


def _lines(code: str) -> str:
    count = code.removesuffix("\n").count("\n") + 1
    return f"{count} line{'' if count == 1 else 's'}"
