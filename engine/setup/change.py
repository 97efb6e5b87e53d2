"""Changes to the machine: confirmed, run as root, and explained when they are refused or fail."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.setup.machine import Machine, SetupError

Confirm = Callable[[str], bool]
"""Return whether the described change may be made."""
Report = Callable[[str], None]

Command = tuple[str, ...]

COMMAND_SECONDS = 900
_APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qy", "-o", "DPkg::Lock::Timeout=120")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: its description and its commands."""

    description: str
    commands: tuple[Command, ...]
    may_fail: frozenset[Command] = frozenset()
    """Commands that may fail, because a later one reports the problem."""
    manual: str = ""
    """What to do manually, if that is not to type the commands."""

    @property
    def manual_hint(self) -> str:
        """What to do manually instead."""
        typed = " && ".join("sudo " + shlex.join(command) for command in self.commands)
        return self.manual or f"Type: {typed}"


def install_packages(description: str, packages: Iterable[str]) -> Change:
    """Return the change that installs Debian packages."""
    names = tuple(packages)
    update = (*_APT, "update")
    install = (*_APT, "install", "--no-install-recommends", *names)
    manual = f"Type: sudo apt-get update && sudo apt-get install {' '.join(names)}"
    return Change(description, (update, install), may_fail=frozenset({update}), manual=manual)


def apply_change(change: Change, machine: Machine, ask: Confirm) -> None:
    """Make a change if it is confirmed. Raises SetupError with what to type instead."""
    if not (machine.root or machine.sudo):
        raise SetupError(f"root is required to {change.description}", hint="Type as root: pratique setup")
    if not ask(change.description):
        raise SetupError(f"declined: {change.description}", hint=change.manual_hint)
    for command in change.commands:
        error = run(as_root(command, machine))
        if error is not None and command not in change.may_fail:
            raise SetupError(f"could not {change.description}: {error}", hint=change.manual_hint)


def as_root(command: Command, machine: Machine) -> Command:
    """Return the command, with sudo where needed; sudo asks for a password only on a terminal."""
    if machine.root:
        return command
    return ("sudo", *command) if sys.stdin.isatty() else ("sudo", "-n", *command)


def run(command: Command, *, folder: str | None = None) -> str | None:
    """Run a command; return None, or the last line of its output if it failed."""
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
    return last_line(done.stderr) or last_line(done.stdout) or f"{command[0]} exited with {done.returncode}"


def last_line(text: str) -> str:
    """Return the last non-empty line, preferring lines with `E:` or `error`."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:") or "error" in line.lower()]
    return (errors or lines or [""])[-1]
