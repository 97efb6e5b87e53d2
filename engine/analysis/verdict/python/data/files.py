"""Names of files that a program with data may read."""

from __future__ import annotations

import re
from collections.abc import Set

_PART = r"[A-Za-z0-9_][A-Za-z0-9_ -]*(?:\.[A-Za-z0-9_ -]+)*"
_INPUT = re.compile(rf"(?:{_PART}/)*{_PART}\.(?:csv|tsv|txt|dat|data)", re.IGNORECASE)
"""A plain relative name with a suffix that no reader unpacks: no address, home folder or step upwards."""


def is_input(name: str, inputs: Set[str]) -> bool:
    """Return whether a name is plain and that of a granted input file."""
    return name in inputs and _INPUT.fullmatch(name) is not None
