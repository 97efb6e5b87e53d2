"""Known values of shell variables, and the marks in a word during expansion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.analysis import effects
from engine.analysis.syntax import Tree
from engine.common.text import Untrusted
from engine.models import Evidence, Span

UNKNOWN = effects.UNKNOWN
"""Represents text that is known only at run time."""
OPEN, COMMA, CLOSE, GAP = "\x01", "\x02", "\x03", "\x04"
"""Unquoted braces and commas, and a place where an unquoted expansion splits into fields."""
GLOB = "\x05"
"""An unquoted `*` or `?`."""
MAX_TEXT = 65_536


class SourceStep(NamedTuple):
    """A statement, as an assignment that a value came through: its bytes in the source."""

    tree: Tree
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return self.tree.span_of(self.start, self.end)

    @property
    def evidence(self) -> Evidence:
        """The step for people."""
        return Evidence(span=self.span, text=Untrusted(self.tree.slice(self.start, self.end)[:160]))


class ShellValue(NamedTuple):
    """A text and the taints of its origin: `download`, `decoded`, `encoded`, `input`, `output` …"""

    text: str
    taints: frozenset[str] = frozenset()
    origin: tuple[SourceStep, ...] = ()
    items: tuple[str, ...] = ()
    """The elements, where the variable is an array."""


_KNOWN = {
    "HOME": "~", "TMPDIR": "/tmp", "TMP": "/tmp", "TEMP": "/tmp", "PWD": ".", "IFS": " \t\n",
    "SHELL": "/bin/bash", "HISTFILE": "~/.bash_history", "XDG_CONFIG_HOME": "~/.config",
    "XDG_RUNTIME_DIR": "/run/user/1000", "BASH": "/bin/bash",
}  # fmt: skip
_OWN_PROCESS = {"!", "$", "BASHPID"}


@dataclass(slots=True)
class Variables:
    """The variables of a script at one place of its reading."""

    _values: dict[str, ShellValue] = field(default_factory=dict)

    def get(self, name: str) -> ShellValue:
        """Return what `name` holds; unknown where nothing was assigned."""
        value = self._values.get(name)
        if value is not None:
            return value
        if name in _OWN_PROCESS:
            return ShellValue(UNKNOWN, frozenset({"own-pid"}))
        return ShellValue(_KNOWN.get(name, UNKNOWN))

    def has(self, name: str) -> bool:
        """Return whether the script assigned `name`, or the shell sets it to something known."""
        return name in self._values or name in _KNOWN

    def set(self, name: str, value: ShellValue) -> None:
        """Remember an assignment."""
        if len(value.text) > MAX_TEXT:
            value = ShellValue(UNKNOWN, value.taints, value.origin)
        self._values[name] = value

    def unset(self, name: str) -> None:
        """Forget a variable."""
        self._values.pop(name, None)


_MARKED = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}", GAP: " ", GLOB: "*"})


def bare(text: str) -> str:
    """Return a word's text with the marks turned back into their characters."""
    if text.isprintable():
        return text
    return text.translate(_MARKED)


def shown(text: str) -> str:
    """Return a text for people: unknown stretches become `…`."""
    return bare(text).replace(UNKNOWN, "…")
