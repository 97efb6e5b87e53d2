"""Pre-approvals: create one for submissions identical to an approved one, list and revoke them."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.review.display_delay import DisplayDelay
from console.safety.text import Part, clip, content
from console.widgets.footer import KeyFooter
from console.widgets.formatting import full_badge, now, when
from console.widgets.rows import Rows
from engine.models import Case, Level, MatchMode, PreApproval

WORDS = {
    MatchMode.EXACT: "identical bytes",
    MatchMode.STRUCTURE: "same structure: local names, comments and blanks may differ",
}


async def _revoked(revoking: Awaitable[None]) -> bool:
    await revoking
    return True


@dataclass(frozen=True)
class Bounds:
    """One bound of a pre-approval, and its possible values."""

    title: str
    values: tuple[int, ...]
    unit: str
    at: int

    @property
    def value(self) -> int:
        """What it is now."""
        return self.values[self.at]

    def adjusted(self, step: int) -> Bounds:
        """Return the bound one step further."""
        return replace(self, at=max(0, min(self.at + step, len(self.values) - 1)))


class PreApprovalForm(Rows):
    """How submissions match, up to which risk, how often, and for how long."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,minus", "adjust(-1)", "Less", id="pre-approval.less", tooltip="One step less"),
        Binding("right,plus", "adjust(1)", "More", id="pre-approval.more", tooltip="One step more"),
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
        """How many submissions may use it."""
        return self._bounds[0].value

    @property
    def days(self) -> int:
        """For how many days it is valid."""
        return self._bounds[1].value

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = self.count
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a row."""
        if index == 0:
            label: tuple[str, Part] = ("match", WORDS[self.match_mode])
        elif index == 1:
            label = ("max risk", full_badge(self.ceiling))
        else:
            bound = self._bounds[index - 2]
            label = (bound.title, f"{bound.value} {bound.unit}")
        return [" ", ("◂ ▸", "muted"), f" {label[0]:<9}", label[1]]

    def action_adjust(self, step: int) -> None:
        """Change the bound under the cursor."""
        if self.cursor == 0:
            self.match_mode = MatchMode.STRUCTURE if step > 0 else MatchMode.EXACT
        elif self.cursor == 1:
            self.ceiling = Level.HIGH if step > 0 else Level.MEDIUM
        else:
            bounds = list(self._bounds)
            bounds[self.cursor - 2] = bounds[self.cursor - 2].adjusted(step)
            self._bounds = (bounds[0], bounds[1])
        self.refresh()


class PreApprovalScreen(ModalScreen[None]):
    """Offers to pre-approve submissions identical to a case that was just approved, for its requester."""

    AUTO_FOCUS = "#bounds"
    DEFAULT_CSS = """
    PreApprovalScreen .sheet Static { height: auto; }
    PreApprovalScreen PreApprovalForm { background: $surface; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+y",
            "confirm",
            "Pre-approve",
            id="pre-approval.confirm",
            priority=True,
            tooltip="Create the pre-approval",
        ),
        Binding("escape", "leave", "Back", id="pre-approval.cancel", tooltip="Back without a pre-approval"),
    ]

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case
        self.delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out basis, requester and bounds."""
        submission = self._case.submission
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Pre-approve identical submissions"
            yield Static(
                content(("identical to ", "muted"), (submission.id, "bold"), (", from ", "muted"),
                        clip(submission.requester.name, 60), (" only, with the same grant", "muted"))
            )  # fmt: skip
            yield PreApprovalForm(self._case.assessment.risk)
            yield Static(
                content(("ctrl+y", "bold success"), " confirms. CRITICAL submissions are never pre-approved.")
            )
        yield KeyFooter()

    def on_mount(self) -> None:
        """Start the delay before the confirmation is accepted."""
        self.delay.restart()

    @work(exclusive=True)
    async def action_confirm(self) -> None:
        """Create it, if a person pressed the key and the dialog was displayed long enough."""
        delay_over = self.delay.over
        if not await console_app(self).key_guard.pressed_by_person() or not delay_over:
            return
        rows, id = self.query_one(PreApprovalForm), self._case.submission.id
        given = await console_app(self).connection.call(
            lambda client: client.pre_approvals.create(
                id, rows.match_mode, rows.ceiling, rows.uses, rows.days
            )
        )
        if given is not None:
            self.app.notify(
                f"{given.id} created for {given.uses} uses. Press S to list and revoke pre-approvals."
            )
            self.dismiss()

    def action_leave(self) -> None:
        """Close without a pre-approval."""
        self.dismiss()


class PreApprovalRows(Rows):
    """The pre-approvals."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No pre-approvals.", "bold success")],
        [("To create one, approve a submission and press s.", "muted")],
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
        """Draw a pre-approval: match mode, uses and validity; below, basis, requester and reviewer."""
        one = self.pre_approvals[index]
        if line:
            return ["     ", (f"identical to {one.basis} from ", "muted"),
                    clip(one.requester, max(8, width // 3)), (" by ", "muted"),
                    clip(one.by.name, max(8, width // 4))]  # fmt: skip
        until = f"until {when(one.until, now())}" if one.until > now() else "expired"
        facts = f"{one.match_mode.value}, {one.used} of {one.uses} used, {until}"
        return [" ", full_badge(one.ceiling), "  ", one.id, "  ", (facts, "muted")]


class PreApprovalsScreen(ModalScreen[None]):
    """Lists and revokes pre-approvals."""

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
            tooltip="Revoke the pre-approval",
        ),
        Binding("escape,S,q", "leave", "Close", id="pre-approval.close", tooltip="Close the list"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Pre-approvals"
            yield PreApprovalRows()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the list."""
        self._load()

    @work(exclusive=True, group="pre-approvals")
    async def _load(self) -> None:
        pre_approvals = await console_app(self).connection.call(lambda client: client.pre_approvals.list())
        self.query_one(PreApprovalRows).show(pre_approvals or ())

    @work(exclusive=True, group="revoke")
    async def action_revoke(self) -> None:
        """Revoke the pre-approval under the cursor."""
        rows = self.query_one(PreApprovalRows)
        if not rows.count or not await console_app(self).key_guard.pressed_by_person():
            return
        one = rows.pre_approvals[rows.cursor]
        if await console_app(self).connection.call(
            lambda client: _revoked(client.pre_approvals.revoke(one.id))
        ):
            self.app.notify(f"{one.id} revoked.")
        self._load()

    def action_leave(self) -> None:
        """Close the list."""
        self.dismiss()
