"""Whether the proof about a command holds where the agent would run it.

The proof is about bash and the system's own programs. On the agent's machine a name may mean something else:
another shell reads the text by other rules, the environment may define functions or have files read first,
and the search path may lead to a program that lies elsewhere.
"""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHELLS = frozenset({"", "bash", "sh"})
READ_FIRST = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "IFS")
SYSTEM = frozenset(f"{above}/{name}" for above in ("", "/usr", "/usr/local") for name in ("bin", "sbin"))
MOST_WORDS = 400
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
_STATELESS = re.compile(r"[A-Za-z0-9 \n_.,:/%@+'\"|;&-]*")
"""Commands of words and pipes alone, which every shell reads so: they leave nothing in it, nor read it."""


def doubt(
    command: str, environment: Mapping[str, str], *, lasting: bool = False, platform: str = sys.platform
) -> str:
    """Return why the proof about a command does not hold here; empty where it does."""
    return next(_doubts(command, environment, platform, lasting=lasting), "")


def _doubts(command: str, environment: Mapping[str, str], platform: str, *, lasting: bool) -> Iterator[str]:
    shell = os.path.basename(environment.get("SHELL", ""))  # noqa: PTH119  pathlib takes time to import
    if shell not in SHELLS:
        yield f"the proof is about bash, and the shell here is {shell[:40]}"
    if (shell == "sh" or platform == "darwin") and not _STATELESS.fullmatch(command):
        yield "the proof is about bash 5, and the shell here may read this in another way"
    for name in (*READ_FIRST, *(name for name in environment if name.startswith("BASH_FUNC_"))):
        if environment.get(name):
            yield f"the environment variable {name[:60]} changes what commands mean"
    if lasting and not _STATELESS.fullmatch(command):
        yield "an earlier command in the same shell may have changed what it means"
    words = set(_WORD.findall(command))
    if len(words) > MOST_WORDS:
        yield "it has too many words"
        return
    for folder in environment.get("PATH", "").split(os.pathsep):
        if folder.rstrip("/") not in SYSTEM:
            yield from (f"{word} may be the program in {folder or '.'}" for word in _programs(words, folder))


def _programs(words: set[str], folder: str) -> list[str]:
    """Return the words that are programs of a folder."""
    return sorted(word for word in words if os.access(os.path.join(folder or ".", word), os.X_OK))  # noqa: PTH118
