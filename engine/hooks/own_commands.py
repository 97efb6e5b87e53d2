"""The command that the hook puts in the place of another: it prints the result of a submission."""

from __future__ import annotations

import os
import re
import shlex
import sys

_ID = r"s-[0-9a-z]{1,32}"


def program() -> str:
    """Return this program as a word of a command line: its absolute path, quoted."""
    beside = os.path.join(sys.prefix, "bin", "pratique")  # noqa: PTH118  pathlib takes time to import
    return shlex.quote(beside if os.access(beside, os.X_OK) else os.path.abspath(sys.argv[0]))  # noqa: PTH100


def result_command(id: str) -> str:
    """Return the command that prints the result of a submission."""
    return f"{program()} hook result {id}"


def is_own(command: str) -> bool:
    """Return whether a command is exactly such a command, and nothing more."""
    return re.fullmatch(rf"{re.escape(program())} hook result {_ID}", command) is not None
