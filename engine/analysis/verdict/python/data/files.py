"""Names of files that a program with data may read and write."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import PurePosixPath

_PART = r"[A-Za-z0-9_][A-Za-z0-9_ -]*(?:\.[A-Za-z0-9_ -]+)*"
_INPUT = re.compile(rf"(?:{_PART}/)*{_PART}\.(?:csv|tsv|txt|dat|data)", re.IGNORECASE)
"""A plain relative name with a suffix that no reader unpacks: no address, home folder or step upwards."""


def is_input(name: str, inputs: Set[str]) -> bool:
    """Return whether a name is plain and that of a granted input file."""
    return name in inputs and _INPUT.fullmatch(name) is not None


_OUTPUT = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\.(?:%s)"
"""A plain name without a folder, not hidden. Names with the suffixes below configure no tool: `.txt` (for
`requirements.txt`) and `.json` (for `package.json`) are not among them."""
TABLE = re.compile(_OUTPUT % "csv|tsv")
PICTURE = re.compile(_OUTPUT % "png|svg|pdf|jpg|jpeg")


def is_output(name: str, kind: re.Pattern[str], inputs: Set[str]) -> bool:
    """Return whether a name is plain, has a suffix of its kind, and replaces no granted input file."""
    return kind.fullmatch(name) is not None and name.casefold() not in {each.casefold() for each in inputs}


def is_configured(inputs: Set[str]) -> bool:
    """Return whether an input file is one that matplotlib reads its parameters from."""
    return any(PurePosixPath(name).name.casefold() == "matplotlibrc" for name in inputs)
