"""What a sandbox answers about the names of its image: lines of four fields between tabs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.models.code_names import NameKind

MOST_NAMES = 60_000
MOST_TEXT = 400
"""Characters of a signature or a summary."""
NAME = re.compile(r"[A-Za-z_$.:\[][\w$+\[-]{0,60}(?:[./][A-Za-z_$][\w$-]{0,60}){0,6}", re.ASCII)
_KINDS = frozenset(NameKind)


def checked_table(answer: bytes) -> str:
    """Return the lines that are names, each once. A last half line is left out, too."""
    lines = answer.decode("utf-8", "replace").split("\n")[:-1]
    return "\n".join(dict.fromkeys(name for line in lines[:MOST_NAMES] for name in _checked(line)))


def _checked(line: str) -> Iterator[str]:
    fields = line.split("\t")
    if len(fields) == 4 and fields[1] in _KINDS and NAME.fullmatch(fields[0]):
        yield "\t".join([*fields[:2], fields[2][:MOST_TEXT], fields[3][:MOST_TEXT]])
