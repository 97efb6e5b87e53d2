"""Commands that a command runs besides: `find -exec`, `docker exec`, and one within another."""

from __future__ import annotations

from engine.analysis.shell.model import Arg, Command
from engine.analysis.shell.wrappers import basename, beside, may_run_another, unwrap

_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FD = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_MARKS = {"find": _FIND, "gfind": _FIND, "bfs": _FIND, "fd": _FD, "fdfind": _FD}
"""Options behind which a command begins that ends with `;` or `+`."""
MOST = 100
"""How many commands of one command are followed."""


def carried(command: Command) -> list[Command]:
    """Return the commands that a command runs besides."""
    found: list[Command] = []
    todo = _fields(command)
    while todo and len(found) < MOST:
        inner = _within(command, todo.pop(0))
        found.append(inner)
        todo += _fields(inner)
    return found


def _within(command: Command, fields: list[Arg]) -> Command:
    """Return the command of `fields`, with the redirections and the input of the one that runs it."""
    wrappers, rest = unwrap(fields)
    outer = (*command.wrappers, command.name, *wrappers)
    place = (command.tree, command.start, command.end)
    inner = Command(basename(rest[0].text), rest[0], tuple(rest[1:]), *place, outer)
    inner.redirects, inner.feed, inner.assigned = command.redirects, command.feed, command.assigned
    return inner


def _fields(command: Command) -> list[list[Arg]]:
    marks = _MARKS.get(command.name)
    if marks is None:
        if not may_run_another(command.program):
            return []
        fields = beside([command.program, *command.args])
        return [fields] if fields else []
    words = command.words
    starts = [index + 1 for index, word in enumerate(words) if word in marks]
    ends = (next((i for i in range(at, len(words)) if words[i] in {";", "+"}), len(words)) for at in starts)
    found = (list(command.args[start:end]) for start, end in zip(starts, ends, strict=True))
    return [fields for fields in found if fields]
