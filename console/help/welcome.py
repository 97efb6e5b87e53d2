"""The tour: one sheet, shown once, that says what the desk is for and which five keys to know."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.safety.text import Part, paragraphs

WORDS: list[list[Part]] = [
    [("Agents hand in code. You decide. What you approve runs in gVisor.", "bold")],
    [],
    [(" 1 ", "bold primary"), ("Review   ", "bold"), "read what waits: approve, give less, or deny"],
    [(" 2 ", "bold primary"), ("Run      ", "bold"), "watch what runs: output, meters; stop, kill, hold"],
    [(" 3 ", "bold primary"), ("Explore  ", "bold"), "write something yourself and run it in a sandbox"],
    [(" 4 ", "bold primary"), ("History  ", "bold"), "find what ran, who let it, and what it did"],
    [(" 5 ", "bold primary"), ("Health   ", "bold"), "see whether gVisor is proven, and what to mend"],
    [],
    [("     ?  ", "bold primary"), "every key that works where you are"],
    [("ctrl+k  ", "bold primary"), "everything by name, themes among it"],
    [("ctrl+g  ", "bold primary"), "jump: a letter goes to each part of the screen"],
    [],
    ["For examples, in another terminal, try:"],
    [("    pratique demo", "accent")],
    [],
    [("The queue says how long you have: a submission that nobody decides about is denied.", "muted")],
]


class WelcomeScreen(ModalScreen[None]):
    """Says it once; any key ends it, and a number goes to its place."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Tour"
    DEFAULT_CSS = """
    WelcomeScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space", "leave", "Begin", id="tour.leave", tooltip="Begin"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the words."""
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = "Welcome to the desk"
            sheet.border_subtitle = "Enter begins"
            yield Static(paragraphs(*WORDS))

    def on_key(self, event: events.Key) -> None:
        """Let a number go to its place."""
        if event.character and event.character in "12345":
            event.stop()
            self.dismiss(None)
            place = list(self.app.MODES)[int(event.character) - 1]
            self.app.call_later(self.app.run_action, f"go('{place}')")

    def action_leave(self) -> None:
        """Begin."""
        self.dismiss(None)
