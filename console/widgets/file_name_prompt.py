"""A line below a screen that asks for the name of a file."""

from __future__ import annotations

from textual.widgets import Input


class FileNamePrompt(Input):
    """An input line that is hidden until `ask` and posts `Input.Submitted` with the typed name."""

    DEFAULT_CSS = """
    FileNamePrompt { display: none; }
    FileNamePrompt.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="file-name", select_on_focus=False)

    @property
    def is_open(self) -> bool:
        """Whether it is asking."""
        return self.has_class("-open")

    def ask(self, text: str, value: str) -> None:
        """Ask for a file name under the title `text`, with `value` as the suggestion."""
        self.border_title = f"{text}; Enter saves, Esc cancels"
        self.value, self.cursor_position = value, len(value)
        self.add_class("-open")
        self.focus()

    def close(self) -> bool:
        """Hide the line; return whether it was asking."""
        asking = self.is_open
        self.remove_class("-open")
        self.screen.set_focus(None)
        return asking
