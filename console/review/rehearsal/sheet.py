"""The sheet of a rehearsal: asks, shows how far it is, and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.review.rehearsal.known import RehearsalState
from console.review.rehearsal.words import again, progress, question, rehearsal_paragraphs
from console.safety.text import Part, content, paragraphs
from console.widgets.footer import KeyFooter
from engine.models import Case

if TYPE_CHECKING:
    from console.review.rehearsal.controller import RehearsalController

REFRESH_SECONDS = 0.2


class RehearsalScreen(ModalScreen[None]):
    """Rehearses one submission. Closing it changes nothing: a rehearsal goes on without it."""

    AUTO_FOCUS = "#rehearsal"
    HELP_TITLE = "Rehearsal"
    HELP_WORDS = (
        "Runs the waiting submission with decoys for credentials and a sinkhole for every host. What it "
        "proves is a CRITICAL violation of the submission. That nothing is seen is no proof of the contrary."
    )
    DEFAULT_CSS = """
    RehearsalScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "Rehearse", id="rehearsal.start", tooltip="Rehearse the submission now"),
        Binding("w", "withhold", "Withhold files", id="rehearsal.withhold",
                tooltip="Give it its input files, or none"),
        Binding("x", "stop", "Stop", id="rehearsal.stop", tooltip="Stop the rehearsal"),
        Binding("escape,q,R", "leave", "Close", id="rehearsal.close",
                tooltip="Back to Review; a rehearsal goes on"),
    ]  # fmt: skip

    def __init__(self, case: Case, controller: RehearsalController) -> None:
        super().__init__()
        self._case = case
        self._subject = case.submission.id
        self._controller = controller
        self._withheld = False
        self._shown: tuple[RehearsalState, int, bool] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with VerticalScroll(id="rehearsal", classes="sheet"):
            yield Static(id="rehearsal-lines")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what is known, and follow it."""
        set_border_title(self.query_one("#rehearsal"), content(f"Rehearsal of {self._subject}"))
        self._freshen()
        self.set_interval(REFRESH_SECONDS, self._freshen)

    @property
    def _state(self) -> RehearsalState:
        return self._controller.known.of(self._subject)

    def _freshen(self) -> None:
        state, now = self._state, self._controller.now
        shown = (state, int(state.seconds(now)), self._withheld)
        if shown == self._shown:
            return
        self._shown = shown
        self.query_one("#rehearsal-lines", Static).update(paragraphs(*self._lines(state, now)))
        set_border_title(self.query_one("#rehearsal"), content(self._keys(state)), below=True)
        self.refresh_bindings()

    def _keys(self, state: RehearsalState) -> str:
        if state.began is not None:
            return "x: stop   Esc: back, it goes on"
        again = " again" if state.found is not None else ""
        files = "   w: withhold input files" if self._case.submission.draft.files else ""
        return f"Enter: rehearse{again}{files}   Esc: back"

    def _lines(self, state: RehearsalState, now: float) -> list[list[Part]]:
        if state.began is not None:
            return progress(state, now)
        refused: list[list[Part]] = [[(state.refused, "warning")], []] if state.refused else []
        if state.found is None:
            return [*refused, *question(self._case, withheld=self._withheld)]
        return [*refused, *again(self._case, withheld=self._withheld), *rehearsal_paragraphs(state.found)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to start where none goes on, and to stop where one does."""
        going = self._state.began is not None
        if action == "withhold":
            return not going and bool(self._case.submission.draft.files)
        if action in {"start", "stop"}:
            return going == (action == "stop")
        return True

    @work(exclusive=True)
    async def action_start(self) -> None:
        """Rehearse it."""
        if not await console_app(self).key_guard.pressed_by_person():
            return
        if obstacle := self._controller.obstacle(self._case):
            self.notify(f"It cannot be rehearsed: {obstacle}", severity="warning")
        elif self._state.began is None:
            self._controller.start(self._subject, withhold=self._withheld)
            self._freshen()

    def action_withhold(self) -> None:
        """Give it its input files, or none."""
        self._withheld = not self._withheld
        self._freshen()

    def action_stop(self) -> None:
        """Stop it."""
        self._controller.stop(self._subject)

    def action_leave(self) -> None:
        """Close the sheet."""
        self.dismiss(None)
