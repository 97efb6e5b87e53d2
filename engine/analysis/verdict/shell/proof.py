"""Proves that a shell script can only compute and print, or says where that is not proven.

The script is read by a grammar of its own, which refuses whatever is not a plain use of a listed construct;
every command must be a listed one, with listed options, or a function of the script. What words become
outside quotes, and what arithmetic evaluates, must be of a kind for which nothing else can happen, wherever
the values come from. docs/verdict.md has the argument in full.
"""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.library import COMMANDS
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.statements import Statements
from engine.common.text import Untrusted
from engine.models import Span, Unproven

MOST_CHARACTERS = 100_000
"""How much of a script is read."""
_START = Span(line=1, column=1, end_line=1, end_column=1)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def prove(source: str) -> tuple[Unproven, ...]:
    """Return the places that are not proven: none where the script is harmless."""
    if len(source) > MOST_CHARACTERS:
        return (Unproven(span=_START, reason=Untrusted("the code is too long to be proven")),)
    state = State(source)
    if found := _CONTROL.search(source):
        state.refuse(found.start(), found.end(), "a control character")
        return state.unproven()
    try:
        Statements().script(state)
    except RecursionError:
        state.refuse(0, 1, "the code is nested too deeply")
    _check_calls(state)
    _check_declared(state)
    for need in state.values.unmet():
        state.refuse(need.start, need.end, need.reason)
    return state.unproven()


def _check_calls(state: State) -> None:
    """Refuse commands that are not known, and functions that may be called before they are defined."""
    outside = [call.start for call in state.calls if not call.within and call.name in state.defined]
    first = min(outside, default=len(state.text))
    for call in state.calls:
        defined = state.defined.get(call.name)
        if defined is None:
            if call.name not in COMMANDS:
                state.refuse(call.start, call.end, f"the command `{call.name}` is not on the list")
        elif call.name in COMMANDS:
            state.refuse(call.start, call.end, f"`{call.name}` is a command and a function of this code")
        elif defined > call.start and not (call.within and defined <= first):
            state.refuse(call.start, call.end, f"the function `{call.name}` may not be defined yet")


def _check_declared(state: State) -> None:
    """Refuse texts that are given to names of arrays."""
    for name, start, end in state.scalars:
        if name in state.arrays:
            state.refuse(start, end, "a text that is declared as an array is evaluated")
