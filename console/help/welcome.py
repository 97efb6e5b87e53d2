"""The welcome screen: what the console is for, and the most important keys."""

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
    [("Agents submit code. You decide. Approved code runs in a gVisor sandbox.", "bold")],
    [],
    [(" 1 ", "bold primary"), ("Review   ", "bold"), "approve, reduce permissions, or deny"],
    [(" 2 ", "bold primary"), ("Run      ", "bold"), "output and meters; pause, stop or kill"],
    [(" 3 ", "bold primary"), ("Explore  ", "bold"), "write code yourself and run it in a sandbox"],
    [(" 4 ", "bold primary"), ("History  ", "bold"), "what ran, who approved it, and what it did"],
    [(" 5 ", "bold primary"), ("Health   ", "bold"), "isolation and host, and how to fix what fails"],
    [],
    [("     ?  ", "bold primary"), "help: all keys of this screen"],
    [("ctrl+k  ", "bold primary"), "command palette, themes included"],
    [("ctrl+g  ", "bold primary"), "jump to a part of the screen by its letter"],
    [],
    ["To submit examples, type in another terminal:"],
    [("    pratique demo", "accent")],
    [],
    [("A submission that expires without a decision is denied.", "muted")],
]


class WelcomeScreen(ModalScreen[None]):
    """Closes on Enter, Space or Esc; a number opens its screen."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Welcome"
    DEFAULT_CSS = """
    WelcomeScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space", "leave", "Start", id="welcome.close", tooltip="Start"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with VerticalScroll(classes="sheet") as sheet:
            sheet.border_title = "Welcome"
            sheet.border_subtitle = "Enter: start"
            yield Static(paragraphs(*WORDS))

    def on_key(self, event: events.Key) -> None:
        """Open the screen of a number."""
        if event.character and event.character in "12345":
            event.stop()
            self.dismiss(None)
            screen = list(self.app.MODES)[int(event.character) - 1]
            self.app.call_later(self.app.run_action, f"go('{screen}')")

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
