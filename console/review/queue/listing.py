"""The queue: pending submissions, sorted, filtered and marked, with risk, age and the time that is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from console.app.textual_patches import set_border_title
from console.review.queue.order import Order, arranged
from console.review.queue.times import age, short_time_left, time_bar, time_style
from console.safety.text import Part, clip, content, pad
from console.widgets.formatting import SHAPES, badge, now
from console.widgets.offline_rows import OfflineRows
from engine.common.text import Untrusted, many
from engine.models import QueueEntry, Status, Summary

TIME_CELLS = 5
LEAST_CELLS = 4
"""The first line of the code is left out where less of it would be shown."""


class QueueList(OfflineRows):
    """Pending submissions. The cursor stays on its submission as the queue changes."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("Queue is empty", "bold success")],
        [],
        [("To submit code, type:", "muted")],
        [("pratique submit FILE", "primary")],
        [("pratique demo", "primary")],
        [],
        [("Or press 3 to write", "muted")],
        [("code in Explore.", "muted")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Pending"
        self._queue: tuple[Summary, ...] = ()
        self._summaries: tuple[Summary, ...] = ()
        self._entries: Mapping[str, QueueEntry] = {}
        self._marked: frozenset[str] = frozenset()
        self._expired = 0
        self._awaited = ""
        self.order = Order.PRIORITY
        self.filter = ""

    @property
    def count(self) -> int:
        """How many submissions are listed."""
        return len(self._summaries)

    @property
    def chosen(self) -> Summary | None:
        """The submission under the cursor."""
        return self._summaries[self.cursor] if self._summaries else None

    def is_chosen(self, id: str) -> bool:
        """Say whether a submission is the one under the cursor."""
        return self.chosen is not None and self.chosen.id == id

    @property
    def beside(self) -> tuple[Summary, ...]:
        """The submissions below and above the cursor."""
        at = self.cursor
        return (*self._summaries[at + 1 : at + 2], *self._summaries[max(0, at - 1) : at])

    @property
    def marked(self) -> tuple[Summary, ...]:
        """The marked submissions."""
        return tuple(each for each in self._summaries if each.id in self._marked)

    def empty(self) -> tuple[list[Part], ...]:
        """Return why the list is empty."""
        if self._queue:
            return ([("Nothing fits the filter.", "bold warning")], [], [("Esc clears it.", "muted")])
        words = super().empty()
        if not self._expired or words is not self.EMPTY:
            return words
        lost = f"{many(self._expired, 'submission')} expired"
        return (
            [(lost, "bold warning")],
            [("before anybody decided.", "warning")],
            [("b: list them", "primary")],
        )

    def show_expired(self, number: int) -> None:
        """Say how many submissions expired before anybody decided."""
        self._expired = number
        self._entitle()
        self.refresh()

    def show(self, queue: tuple[Summary, ...], entries: Mapping[str, QueueEntry]) -> None:
        """Show the queue; the cursor stays on its submission while that is pending."""
        self._entries = entries
        self._queue = tuple(each for each in queue if each.status is Status.PENDING)
        self.list_by(self.order, self.filter)

    def list_by(self, order: Order, filter: str) -> None:
        """Sort and filter the queue; marks of what is not listed any more are dropped."""
        kept = self._awaited or (self.chosen.id if self.chosen else "")
        self.order, self.filter = order, filter
        self._summaries = arranged(self._queue, order, filter, self._assigned)
        if self._marked:
            self._marked &= {each.id for each in self._summaries}
        if (place := self._place(kept)) is not None:
            self._awaited = ""
            self.set_reactive(QueueList.cursor, place)
        self._entitle()
        self.refit()
        if place is not None:
            self.reveal()

    def _place(self, id: str) -> int | None:
        """Return the row of a submission: most often that of the cursor, or one near the top."""
        if self.cursor < self.count and self._summaries[self.cursor].id == id:
            return self.cursor
        return next((index for index, each in enumerate(self._summaries) if each.id == id), None)

    def mark(self) -> None:
        """Mark the submission under the cursor, or remove its mark, and go to the next one."""
        if self.chosen is not None:
            self._marked ^= {self.chosen.id}
            self._entitle()
            self.refresh()
            self.cursor += 1

    def mark_all(self) -> None:
        """Mark everything that is listed, or remove all marks."""
        every = frozenset(each.id for each in self._summaries)
        self._marked = frozenset() if self._marked == every else every
        self._entitle()
        self.refresh()

    def mark_equivalent(self) -> int:
        """Mark what is listed and equivalent to the submission under the cursor; return how many are."""
        if self.chosen is not None and self.chosen.id in self._entries:
            own = self.chosen.id
            self._marked = frozenset(each.id for each in self._summaries if self.equivalent(own, each.id))
            self._entitle()
            self.refresh()
        return len(self._marked)

    def equivalent(self, one: str, other: str) -> bool:
        """Say whether two submissions differ in nothing that a run could show, nor in purpose or level."""
        first, second = self._entries.get(one), self._entries.get(other)
        return first is not None and second is not None and _kind(first) == _kind(second)

    def go_to(self, id: str) -> None:
        """Move the cursor to a submission, at once or when it is listed."""
        place = self._place(id)
        self._awaited = id if place is None else ""
        self.cursor = self.cursor if place is None else place

    def _entitle(self) -> None:
        listed, every = len(self._summaries), len(self._queue)
        number = f" {listed}" if listed == every else f" {listed} of {every}"
        title = f"Pending{number if every else ''}"
        order = "" if self.order is Order.PRIORITY else f" by {self.order.value}"
        marks = f", {len(self._marked)} marked" if self._marked else ""
        set_border_title(self, content(title + order + marks))
        below = f"{self._expired} expired: b" if self._expired else ""
        below = f"filter: {self.filter}" if self.filter else below
        set_border_title(self, content(below), below=True)

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw an entry: risk, requester and time; then violations, age, size and the first line."""
        summary = self._summaries[index]
        mark: Part = ("●", "bold accent") if summary.id in self._marked else self._claim_sign(summary)
        if self.ROW_HEIGHT == 1:
            return [" ", mark, *self._all(index, width - 2)]
        return [" ", mark, *self._top(index, width - 2)] if line == 0 else self._below(summary, width)

    def row_height(self, *, narrow: bool) -> int:
        """Return one line where the screen is narrow, else two."""
        return 1 if narrow else 2

    def _all(self, index: int, width: int) -> list[Part]:
        summary = self._summaries[index]
        facts = clip(f"{summary.language.value} {summary.lines}", 14)
        about = self._about(summary, max(4, width - 40 - len(facts)))
        return [badge(summary.risk), " ", self._found(summary), self._who(index, 16), f" {age(summary):>4}",
                (f" {short_time_left(summary):>{TIME_CELLS}}  ", time_style(summary)),
                (facts + "  ", "faint"), about]  # fmt: skip

    def _top(self, index: int, width: int) -> list[Part]:
        """Draw risk and requester at the left, the time that is left at the right."""
        summary = self._summaries[index]
        cells = max(4, min(10, width - 28))
        who = max(4, width - cells - TIME_CELLS - 6)
        return [badge(summary.risk), " ", self._who(index, who), " ", *time_bar(summary, cells),
                f" {short_time_left(summary):>{TIME_CELLS}}"]  # fmt: skip

    def _below(self, summary: Summary, width: int) -> list[Part]:
        facts = f"{age(summary):>3} {summary.language.value} {summary.lines}"
        room = width - len(facts) - 12
        about: list[Part] = [" ", self._about(summary, room)] if room >= LEAST_CELLS else []
        return ["      ", self._found(summary), (facts, "muted"), *about]

    def _found(self, summary: Summary) -> Part:
        """Return the severity of the worst violation, and how many there are."""
        entry = self._entries.get(summary.id)
        if entry is None or entry.worst is None:
            return "    "
        number = str(summary.violations) if summary.violations < 100 else "99+"
        return f"{SHAPES[entry.worst]}{number:<3}"[:4], f"risk-{entry.worst.value}"

    def _claim_sign(self, summary: Summary) -> Part:
        return ("@", "bold warning") if self._reviewer(summary) is not None else " "

    def _reviewer(self, summary: Summary) -> Untrusted | None:
        """Return who has claimed it; a claim that lapses does so without an event."""
        entry = self._entries.get(summary.id)
        held = entry.claim if entry is not None else None
        return held.by if held is not None and held.until > now() else None

    def _about(self, summary: Summary, cells: int) -> Part:
        """Return the first line of the code, or which reviewer works on it or is to."""
        if (who := self._reviewer(summary)) is not None:
            return clip(who, cells), "warning"
        entry = self._entries.get(summary.id)
        if entry is not None and entry.assigned.text:
            style = "bold accent" if entry.assigned_to_me else "muted"
            return clip(Untrusted(f"to {entry.assigned.text}"), cells), style
        return clip(summary.first_line, cells), "faint"

    def _assigned(self, summary: Summary) -> str:
        """Return by which words a submission is found by its reviewer."""
        entry = self._entries.get(summary.id)
        if entry is None or not entry.assigned.text:
            return "nobody"
        return f"me {entry.assigned.text}" if entry.assigned_to_me else entry.assigned.text

    def _who(self, index: int, cells: int) -> Part:
        """Return the requester; of several in a row, sorted by agent, only the first one stands out."""
        name = self._summaries[index].requester
        if self.order is not Order.AGENT:
            return pad(name, cells), "foreground"
        first = index == 0 or self._summaries[index - 1].requester != name
        number = sum(each.requester == name for each in self._summaries) if first else 0
        words = pad(name, cells - 4) + f"{number or '':>4}"
        return (words, "bold foreground") if first else (words, "faint")


def _kind(entry: QueueEntry) -> tuple[object, ...]:
    return entry.group, entry.purpose, entry.summary.risk, entry.worst
