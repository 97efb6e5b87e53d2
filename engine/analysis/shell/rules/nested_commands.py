"""Commands that a program takes from an option, its input or a variable, and runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.analysis.shell.command_runners import NestedCommand, nested_commands
from engine.analysis.shell.declare import HIGH, MEDIUM, rule
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import UNKNOWN, shown
from engine.analysis.shell.variables import is_ordinary, runs
from engine.models import Confidence, Evidence, Span, Violation

SHELL_ESCAPE = rule(
    "sh-shell-escape",
    "Starts a shell through another program",
    "process",
    HIGH,
    attack="Gets a shell where only a harmless-looking program is allowed (GTFOBins).",
    why=(
        "HIGH: a script that needs a shell already has one; this only evades monitoring. MEDIUM "
        "where only a wrapper or a variable leads to the shell."
    ),
    fix="Call the command directly.",
    match=(
        "awk 'BEGIN {system(\"/bin/sh\")}'",
        "vim -c ':!sh'",
        "find . -exec /bin/sh \\;",
        "busybox sh",
        "python3 -c \"import pty;pty.spawn('/bin/sh')\"",
        "perl -e 'exec \"/bin/sh\"'",
        "tar cf /dev/null x --checkpoint-action=exec=sh",
    ),
    not_match=(
        "awk '{print $1}' a",
        "find . -name '*.sh'",
        "vim a.sh",
        "perl -ne 'print'",
    ),
    cwe=78,
)
CARRIED = rule(
    "sh-carried-command",
    "Passes a command to a program where few reviewers look for one",
    "process",
    MEDIUM,
    attack="Runs a command under the name of a pager, an editor, an archiver or git.",
    why="MEDIUM: there are legitimate uses; the command is analysed too, and shown as a layer.",
    fix="Call the command directly.",
    match=(
        "PAGER='touch /tmp/x' git log",
        "git -c core.sshCommand='touch /tmp/x' fetch",
        "man -P 'touch x' ls",
        "export GIT_SSH_COMMAND='touch x; ssh'",
        "tar cf a.tar -I 'touch x' b",
        "sed '1e touch x' a",
    ),
    not_match=(
        "PAGER='less -R' git log",
        "git -c core.pager=cat log",
        "GIT_SSH_COMMAND='ssh -i key' git fetch",
        "tar cf a.tar -I 'zstd -19' b",
        "rsync -e 'ssh -p 22' a b",
        "sed 's/a/e/' b",
        "git config --global alias.st status",
    ),
    cwe=78,
    confidence=Confidence.MEDIUM,
)

_BARE_SHELL = re.compile(
    r"\s*(?:exec\s+)?(?:/\S*/)?(?:ba|z|da|k|a|c|tc|fi)?sh(?:\s+(?:-[ips]+|#.*|\.|[\d<>&]\S*))*\s*"
)


@dataclass(frozen=True, slots=True)
class PlacedCommand:
    """A nested command and its position."""

    command: NestedCommand
    span: Span
    evidence: tuple[Evidence, ...] = ()


def placed_commands(script: Script) -> list[PlacedCommand]:
    """Return every command that is passed to a program."""
    return script.once("carried", lambda script: [*_by_commands(script), *_by_variables(script)])


def _by_commands(script: Script) -> Iterator[PlacedCommand]:
    for command in script.commands:
        if command.own:
            continue
        for one in nested_commands(command):
            yield PlacedCommand(one, command.span, command.evidence)
        yield from _by_prefix(command)


def _by_prefix(command: Command) -> Iterator[PlacedCommand]:
    for name, value in command.assigned:
        text = runs(name, value)
        if text:
            yield PlacedCommand(NestedCommand(text, f"${name}"), command.span)


def _by_variables(script: Script) -> Iterator[PlacedCommand]:
    for name, value, step in script.assignments:
        text = runs(name, value.text)
        if text:
            yield PlacedCommand(NestedCommand(text, f"${name}", usual=name == "PS1"), step.span)


def check(script: Script) -> Iterator[Violation]:
    """Yield commands in places where reviewers do not expect them."""
    for one in placed_commands(script):
        text = one.command.text
        if _BARE_SHELL.fullmatch(text):
            yield _violation(one, escape=True)
        elif not one.command.usual and not _is_expected(one.command):
            yield _violation(one, escape=False)


def _is_expected(one: NestedCommand) -> bool:
    """Return whether a command is an ordinary program, or only the name of one in a variable."""
    named = one.layer.startswith("$") and not one.layer.startswith("$PS") and one.text.isidentifier()
    return named or one.text.startswith(UNKNOWN) or is_ordinary(one.text)


def _violation(one: PlacedCommand, *, escape: bool) -> Violation:
    message = f"{one.command.layer} runs {shown(one.command.text)[:160]}"
    if escape:
        severity = MEDIUM if one.command.layer.startswith("$") else None
        return SHELL_ESCAPE.violation(one.span, message, evidence=one.evidence, severity=severity)
    return CARRIED.violation(one.span, message, evidence=one.evidence)
