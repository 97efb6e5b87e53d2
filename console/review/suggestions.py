"""Rules for the policy that past decisions suggest: what each would change, and the key that adopts one."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.review.display_delay import DisplayDelay
from console.safety.text import Part, clip, content, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.offline_rows import OfflineRows
from console.widgets.rows import Rows
from engine.common.text import Untrusted, many
from engine.models.past_decisions import DrillScore, PolicySuggestion


class SuggestionRows(OfflineRows):
    """One row for each suggested rule."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No suggestions.", "bold success")],
        [("A rule is suggested where ten or more", "muted")],
        [("of one kind were approved, and all.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="suggestions")
        self.suggestions: tuple[PolicySuggestion, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.suggestions)

    @property
    def chosen(self) -> PolicySuggestion | None:
        """The suggestion under the cursor."""
        return self.suggestions[self.cursor] if self.suggestions else None

    def show(self, suggestions: tuple[PolicySuggestion, ...]) -> None:
        """Show suggestions."""
        self.suggestions = suggestions
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw how many would not have waited, and the suggestion."""
        one = self.suggestions[index]
        return [f" {one.changes:>5,}  ", (clip(one.words, max(8, width - 9)), "foreground")]


class SuggestionsScreen(ModalScreen[None]):
    """Lists suggested rules, shows the one under the cursor as YAML, and puts it into force."""

    AUTO_FOCUS = "#suggestions"
    DEFAULT_CSS = """
    SuggestionsScreen .sheet { width: 96%; max-width: 140; height: 90%; }
    SuggestionsScreen SuggestionRows { height: 1fr; max-height: 8; background: $surface; }
    SuggestionsScreen #score { height: auto; max-height: 3; padding: 0 1; }
    SuggestionsScreen VerticalScroll { height: 2fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "adopt", "Adopt", id="suggestions.adopt", priority=True,
                tooltip="Put the rule into force, signed with your key"),
        Binding("escape,P,q", "leave", "Close", id="suggestions.close", tooltip="Close the list"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out the list, and the rule below it."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Suggested rules"
            sheet.border_subtitle = "ctrl+y: adopt   Esc: close"
            yield SuggestionRows()
            yield Static(id="score")
            with VerticalScroll(can_focus=False):
                yield Static(id="rule")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the list."""
        self._load()

    @work(exclusive=True, group="suggestions")
    async def _load(self) -> None:
        found = await console_app(self).connection.call(lambda client: client.policy.suggestions())
        self.query_one(SuggestionRows).show(found or ())
        self._show_rule()
        score = await console_app(self).connection.call(lambda client: client.policy.drills())
        self.query_one("#score", Static).update(_score(score or DrillScore()))

    @on(Rows.Moved)
    def _show_rule(self) -> None:
        """Show the rule under the cursor; it has to be on screen for a moment before it is adopted."""
        one = self.query_one(SuggestionRows).chosen
        self.delay.restart()
        self.query_one("#rule", Static).update(_rule(one) if one else content())

    @work(exclusive=True, group="adopt")
    async def action_adopt(self) -> None:
        """Put the rule into force, if a person pressed the key and the rule was displayed long enough."""
        one, delay_over = self.query_one(SuggestionRows).chosen, self.delay.over
        if one is None or not await console_app(self).key_guard.pressed_by_person() or not delay_over:
            return
        adopted = await console_app(self).connection.call(lambda client: client.policy.adopt(one.id))
        if adopted is not None:
            self.app.notify(f"{adopted.rule} is in force. It is in policy.adopted.yaml.")
            self._load()

    def action_leave(self) -> None:
        """Close the list."""
        self.dismiss()


def _score(score: DrillScore) -> Content:
    """Return your score of drills and what the last one was; nothing where there was none."""
    if not score.answers:
        return content()
    counts = f"{score.caught} caught, {score.missed} missed, {score.rehearsed} rehearsed"
    last = score.answers[0]
    return paragraphs(
        [("Your drills ", "bold"), (counts, "foreground"), ("  told to nobody else", "muted")],
        [(f"The last one, {last.outcome.value}: ", "muted"), (Untrusted(last.what), "muted")],
    )


def _rule(one: PolicySuggestion) -> Content:
    """Return the words of a suggestion, what it would have changed, and its YAML."""
    named = ", ".join(one.changed[:3]) + ("…" if one.changes > 3 else "")
    changed = f"{many(one.changes, 'past submission')} would not have waited: {named}"
    yaml: list[list[Part]] = [[(Untrusted(line), "faint")] for line in one.yaml.splitlines()]
    return paragraphs([one.words], [(changed, "muted")], [], *yaml)
