"""Approving beforehand: for submissions that are the same as one that was approved, within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from console.app.state import console_app
from console.safety.text import Part, clip, content
from console.widgets.formatting import full_badge, now, when
from console.widgets.rows import Rows
from engine.models import Case, Level, MatchMode, PreApproval

ARM_SECONDS = 0.4
WORDS = {
    MatchMode.EXACT: "these exact bytes",
    MatchMode.STRUCTURE: "this structure: names of local variables, comments and blanks may differ",
}


async def _revoked(revoking: Awaitable[None]) -> bool:
    await revoking
    return True


@dataclass(frozen=True)
class Bounds:
    """One bound of what is approved beforehand, and what it may be."""

    title: str
    values: tuple[int, ...]
    unit: str
    at: int

    @property
    def value(self) -> int:
        """What it is now."""
        return self.values[self.at]

    def turned(self, step: int) -> Bounds:
        """Return it one step further, within what it may be."""
        return replace(self, at=max(0, min(self.at + step, len(self.values) - 1)))


class PreApprovalForm(Rows):
    """What has to be the same, how risky it may be, how often, and for how long."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,minus", "turn(-1)", "Less", id="pre-approval.less", tooltip="One step less"),
        Binding("right,plus", "turn(1)", "More", id="pre-approval.more", tooltip="One step more"),
    ]

    def __init__(self, risk: Level) -> None:
        super().__init__(id="bounds")
        self.match_mode = MatchMode.EXACT
        self.ceiling = Level.HIGH if risk is Level.HIGH else Level.MEDIUM
        self._bounds = (
            Bounds("uses", (1, 3, 10, 30, 100), "times", 2),
            Bounds("for", (1, 3, 7, 30, 90), "days", 2),
        )

    @property
    def count(self) -> int:
        """How many rows there are."""
        return 2 + len(self._bounds)

    @property
    def uses(self) -> int:
        """How many submissions may rest on it."""
        return self._bounds[0].value

    @property
    def days(self) -> int:
        """For how many days it holds."""
        return self._bounds[1].value

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = self.count
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a row."""
        if index == 0:
            told: tuple[str, Part] = ("same", WORDS[self.match_mode])
        elif index == 1:
            told = ("at most", full_badge(self.ceiling))
        else:
            bound = self._bounds[index - 2]
            told = (bound.title, f"{bound.value} {bound.unit}")
        return [" ", ("◂ ▸", "muted"), f" {told[0]:<9}", told[1]]

    def action_turn(self, step: int) -> None:
        """Turn the row under the cursor."""
        if self.cursor == 0:
            self.match_mode = MatchMode.STRUCTURE if step > 0 else MatchMode.EXACT
        elif self.cursor == 1:
            self.ceiling = Level.HIGH if step > 0 else Level.MEDIUM
        else:
            bounds = list(self._bounds)
            bounds[self.cursor - 2] = bounds[self.cursor - 2].turned(step)
            self._bounds = (bounds[0], bounds[1])
        self.refresh()


class PreApprovalScreen(ModalScreen[None]):
    """Offers to approve what is the same as a case that was just approved, for its requester."""

    AUTO_FOCUS = "#bounds"
    DEFAULT_CSS = """
    PreApprovalScreen .sheet Static { height: auto; }
    PreApprovalScreen PreApprovalForm { background: $surface; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+y", "give", "Give", id="pre-approval.confirm", priority=True, tooltip="Approve beforehand"
        ),
        Binding("escape", "leave", "Back", id="pre-approval.cancel", tooltip="Approve nothing beforehand"),
    ]

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case
        self._since = 0.0

    def compose(self) -> ComposeResult:
        """Lay out what it is for, and its bounds."""
        submission = self._case.submission
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Approve beforehand"
            yield Static(
                content(("as approved in ", "muted"), (submission.id, "bold"), (", for ", "muted"),
                        clip(submission.requester.name, 60), (" alone, with what it was granted", "muted"))
            )  # fmt: skip
            yield PreApprovalForm(self._case.assessment.risk)
            yield Static(content(("ctrl+y", "bold success"), " gives it; nothing CRITICAL ever rests on it"))
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Start the clock that arms the key."""
        self._since = asyncio.get_running_loop().time()

    @work(exclusive=True)
    async def action_give(self) -> None:
        """Give it, if a person pressed the key and has had time to see what for."""
        seen_for = asyncio.get_running_loop().time() - self._since
        if not await console_app(self).key_guard.pressed_by_person() or seen_for < ARM_SECONDS:
            return
        rows, id = self.query_one(PreApprovalForm), self._case.submission.id
        given = await console_app(self).connection.call(
            lambda client: client.pre_approvals.create(
                id, rows.match_mode, rows.ceiling, rows.uses, rows.days
            )
        )
        if given is not None:
            self.app.notify(f"{given.id} stands for {given.uses} uses. S lists all, and revokes.")
            self.dismiss()

    def action_leave(self) -> None:
        """Close the sheet and give nothing."""
        self.dismiss()


class PreApprovalRows(Rows):
    """The approvals given beforehand."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("Nothing is approved beforehand.", "bold success")],
        [("After an approval, s offers to.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="pre-approvals")
        self.pre_approvals: tuple[PreApproval, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.pre_approvals)

    def show(self, pre_approvals: tuple[PreApproval, ...]) -> None:
        """Show pre-approvals."""
        self.pre_approvals = pre_approvals
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw one: what has to be the same, for whom, what is left of it, and who gave it."""
        one = self.pre_approvals[index]
        if line:
            return ["     ", (f"as {one.basis} for ", "muted"), clip(one.requester, max(8, width // 3)),
                    (" by ", "muted"), clip(one.by.name, max(8, width // 4))]  # fmt: skip
        until = f"until {when(one.until, now())}" if one.until > now() else "over"
        facts = f"{one.match_mode.value}, {one.used} of {one.uses} used, {until}"
        return [" ", full_badge(one.ceiling), "  ", one.id, "  ", (facts, "muted")]


class PreApprovalsScreen(ModalScreen[None]):
    """Lists what is approved beforehand, and takes it back."""

    AUTO_FOCUS = "#pre-approvals"
    DEFAULT_CSS = """
    PreApprovalsScreen .sheet { width: 96%; height: 60%; }
    PreApprovalsScreen PreApprovalRows { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "x",
            "revoke",
            "Revoke",
            id="pre-approval.revoke",
            tooltip="Take it back; nothing rests on it then",
        ),
        Binding("escape,S,q", "leave", "Close", id="pre-approval.close", tooltip="Close the list"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Approved beforehand"
            yield PreApprovalRows()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Load the list."""
        self._load()

    @work(exclusive=True, group="pre-approvals")
    async def _load(self) -> None:
        pre_approvals = await console_app(self).connection.call(lambda client: client.pre_approvals.list())
        self.query_one(PreApprovalRows).show(pre_approvals or ())

    @work(exclusive=True, group="revoke")
    async def action_revoke(self) -> None:
        """Take back the one under the cursor."""
        rows = self.query_one(PreApprovalRows)
        if not rows.count or not await console_app(self).key_guard.pressed_by_person():
            return
        one = rows.pre_approvals[rows.cursor]
        if await console_app(self).connection.call(
            lambda client: _revoked(client.pre_approvals.revoke(one.id))
        ):
            self.app.notify(f"{one.id} is revoked.")
        self._load()

    def action_leave(self) -> None:
        """Close the list."""
        self.dismiss()
