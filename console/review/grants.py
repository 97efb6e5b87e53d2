"""The list in which a reviewer reduces permissions and limits."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from console.review.grant_reduction import TITLES, Choice, LimitChoice, PermissionChoice, grant, grant_choices
from console.review.ungrantable import Refused
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
    """One row for each requested permission and limit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space,enter",
            "toggle_permission",
            "Toggle",
            id="grant.toggle",
            tooltip="Grant this permission or not",
        ),
        Binding("left,minus", "adjust(-1)", "Less", id="grant.less", tooltip="Halve this limit"),
        Binding(
            "right,plus",
            "adjust(1)",
            "More",
            id="grant.more",
            tooltip="Double this limit, up to the requested value",
        ),
    ]

    def __init__(self, requested: Permissions, refused: Refused, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._requested = requested
        self._refused = refused
        self._choices: tuple[Choice, ...] = tuple(
            replace(each, granted=False) if self._reason(each) else each for each in grant_choices(requested)
        )

    def _reason(self, choice: Choice) -> str:
        """Return why a permission cannot be granted, or nothing."""
        if isinstance(choice, LimitChoice):
            return ""
        return self._refused.get((choice.kind, choice.index), "")

    @property
    def count(self) -> int:
        """How many permissions and limits there are."""
        return len(self._choices)

    @property
    def grant(self) -> Grant | None:
        """What is granted; None where it is all that was requested."""
        given = grant(self._requested, self._choices)
        return None if given.permissions == self._requested else given

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = min(self.count, 12)
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a permission or a limit."""
        choice = self._choices[index]
        if isinstance(choice, LimitChoice):
            return _limit_parts(choice)
        return _permission_parts(choice, width, self._reason(choice))

    def action_toggle_permission(self) -> None:
        """Toggle the permission under the cursor."""
        choice = self._choices[self.cursor]
        if isinstance(choice, PermissionChoice):
            self._put(replace(choice, granted=not choice.granted))

    def action_adjust(self, step: int) -> None:
        """Adjust the limit under the cursor."""
        choice = self._choices[self.cursor]
        if isinstance(choice, LimitChoice):
            self._put(choice.adjusted(step))
        else:
            self._put(replace(choice, granted=step > 0))

    def _put(self, choice: Choice) -> None:
        if reason := self._reason(choice):
            self.notify(f"This cannot be granted: {reason}.", severity="warning")
            return
        before, after = self._choices[: self.cursor], self._choices[self.cursor + 1 :]
        self._choices = (*before, choice, *after)
        self.refresh()
        self.post_message(self.Moved(self, self.cursor))


def _permission_parts(choice: PermissionChoice, width: int, refused: str) -> list[Part]:
    if refused:
        words = clip(f"cannot be granted: {refused}", max(4, width // 2))
        title = clip(choice.title, max(4, width - 21 - len(words)))
        return [" ", ("[-]", "bold error"), f" {KINDS[choice.kind]:<11}", title, "  ", (words, "warning")]
    sign: Part = ("[x]", "bold success") if choice.granted else ("[ ]", "bold warning")
    return [" ", sign, f" {KINDS[choice.kind]:<11}", (clip(choice.title, width - 19), "foreground")]


def _limit_parts(choice: LimitChoice) -> list[Part]:
    title, unit = TITLES[choice.name]
    given = _counted(choice.granted, unit)
    parts: list[Part] = [" ", ("◂ ▸", "muted"), f" {title:<11}", (given, "foreground")]
    if choice.granted < choice.requested:
        parts.append((f"   of {_counted(choice.requested, unit)} requested", "warning"))
    return parts


def _counted(amount: float, unit: str) -> str:
    return f"{amount:g} {'core' if unit == 'cores' and amount == 1 else unit}".rstrip()
