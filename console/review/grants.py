"""The switches and dials of an approval."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from console.review.grant_reduction import TITLES, Choice, LimitChoice, PermissionChoice, grant, grant_choices
from console.safety.text import Part, clip
from console.widgets.rows import Rows
from engine.models import Grant, Permissions

KINDS = {
    "domains": "domain",
    "packages": "package",
    "files": "file",
    "secrets": "secret",
    "builds": "build",
    "session": "session",
}


class GrantRows(Rows):
    """One row for each thing that was asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "Give or not", id="grant.switch", tooltip="Give this, or do not"),
        Binding("left,minus", "turn(-1)", "Less", id="grant.less", tooltip="Halve this limit"),
        Binding("right,plus", "turn(1)", "More", id="grant.more", tooltip="Double it, up to what was asked"),
    ]

    def __init__(self, asked: Permissions, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._asked = asked
        self._choices: tuple[Choice, ...] = grant_choices(asked)

    @property
    def count(self) -> int:
        """How many switches and dials there are."""
        return len(self._choices)

    @property
    def grant(self) -> Grant | None:
        """What is given; None where it is all that was asked."""
        given = grant(self._asked, self._choices)
        return None if given.permissions == self._asked else given

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = min(self.count, 12)
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a switch or a dial."""
        choice = self._choices[index]
        return _switch(choice, width) if isinstance(choice, PermissionChoice) else _dial(choice)

    def action_switch(self) -> None:
        """Turn the switch under the cursor."""
        choice = self._choices[self.cursor]
        if isinstance(choice, PermissionChoice):
            self._put(replace(choice, given=not choice.given))

    def action_turn(self, step: int) -> None:
        """Turn the dial under the cursor."""
        choice = self._choices[self.cursor]
        if isinstance(choice, LimitChoice):
            self._put(choice.turned(step))
        else:
            self._put(replace(choice, given=step > 0))

    def _put(self, choice: Choice) -> None:
        before, after = self._choices[: self.cursor], self._choices[self.cursor + 1 :]
        self._choices = (*before, choice, *after)
        self.refresh()
        self.post_message(self.Moved(self, self.cursor))


def _switch(choice: PermissionChoice, width: int) -> list[Part]:
    sign: Part = ("[x]", "bold success") if choice.given else ("[ ]", "bold warning")
    return [" ", sign, f" {KINDS[choice.kind]:<11}", (clip(choice.title, width - 19), "foreground")]


def _dial(choice: LimitChoice) -> list[Part]:
    title, unit = TITLES[choice.name]
    given = _counted(choice.given, unit)
    parts: list[Part] = [" ", ("◂ ▸", "muted"), f" {title:<11}", (given, "foreground")]
    if choice.given < choice.asked:
        parts.append((f"   of {_counted(choice.asked, unit)} asked", "warning"))
    return parts


def _counted(amount: float, unit: str) -> str:
    return f"{amount:g} {'core' if unit == 'cores' and amount == 1 else unit}".rstrip()
