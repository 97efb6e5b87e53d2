"""Changes to the machine: told before they are made, made as root, and refused in one line."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.setup.machine import Machine, SetupError

Ask = Callable[[str], bool]
"""Whether the change that is described may be made."""
Say = Callable[[str], None]

Command = tuple[str, ...]

COMMAND_SECONDS = 900
_APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qy", "-o", "DPkg::Lock::Timeout=120")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: what a person is asked, and the commands that make it."""

    what: str
    commands: tuple[Command, ...]
    tolerated: frozenset[Command] = frozenset()
    """Commands that may fail, because the next one tells."""
    instead: str = ""
    """What to do by hand, where typing the commands is not it."""

    @property
    def by_hand(self) -> str:
        """What to do in place of it."""
        typed = " && ".join("sudo " + shlex.join(command) for command in self.commands)
        return self.instead or f"Type: {typed}"


def installing(what: str, packages: Iterable[str]) -> Change:
    """Return the change that installs Debian packages."""
    names = tuple(packages)
    update = (*_APT, "update")
    install = (*_APT, "install", "--no-install-recommends", *names)
    instead = f"Type: sudo apt-get update && sudo apt-get install {' '.join(names)}"
    return Change(what, (update, install), tolerated=frozenset({update}), instead=instead)


def make(change: Change, machine: Machine, ask: Ask) -> None:
    """Make a change, if it may be made. Raises SetupError, which says what to type in place of it."""
    if not (machine.root or machine.sudo):
        raise SetupError(f"root is needed to {change.what}", hint="Type, as root: pratique setup")
    if not ask(change.what):
        raise SetupError(f"refused: {change.what}", hint=change.by_hand)
    for command in change.commands:
        said = run(as_root(command, machine))
        if said is not None and command not in change.tolerated:
            raise SetupError(f"could not {change.what}: {said}", hint=change.by_hand)


def as_root(command: Command, machine: Machine) -> Command:
    """Return the command, through sudo where needed; sudo asks for a password only on a terminal."""
    if machine.root:
        return command
    return ("sudo", *command) if sys.stdin.isatty() else ("sudo", "-n", *command)


def run(command: Command, *, folder: str | None = None) -> str | None:
    """Run a command to its end; return None, or the last line that it said when it failed."""
    asks = command[0] == "sudo" and sys.stdin.isatty()
    try:
        done = subprocess.run(
            command,
            stdin=None if asks else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_SECONDS,
            check=False,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except subprocess.TimeoutExpired:
        return f"{command[0]} took longer than {COMMAND_SECONDS} s"
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    if done.returncode == 0:
        return None
    return last_line(done.stderr) or last_line(done.stdout) or f"{command[0]} ended with {done.returncode}"


def last_line(text: str) -> str:
    """Return the last line that says something, the one with `E:` or `error` before others."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:") or "error" in line.lower()]
    return (errors or lines or [""])[-1]
