"""Names as facts have them: of hosts without port and in lower case, of files by their ending."""

from __future__ import annotations

import re

Fact = tuple[str, str]
"""The name of a fact, and its value."""
LONGEST = 512
"""So many characters of a value count."""
_PORT = re.compile(r":\d{1,5}$")


def host(name: str) -> str:
    """Return the name of a host without its port."""
    bare = _PORT.sub("", name) if name.count(":") == 1 or name.startswith("[") else name
    return bare.strip("[]").lower()


def suffix(name: str) -> str:
    """Return the ending of a file name in lower case, without its dot; nothing where it has none."""
    last = name.rsplit("/", 1)[-1]
    return last.rpartition(".")[2].lower() if "." in last.strip(".") else ""


def bounded(fact: Fact) -> Fact:
    """Return a fact whose value is not too long, and is text that can be stored."""
    name, value = fact
    if value.isascii() and len(value) <= LONGEST:
        return fact
    return name, value[:LONGEST].encode("utf-8", "replace").decode()
