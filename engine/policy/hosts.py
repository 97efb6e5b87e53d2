"""Names of hosts in allowlists: what may stand there, and what they cover."""

from __future__ import annotations

import re
from collections.abc import Iterable

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_INSIDE = frozenset({"localhost", "local", "internal", "localdomain", "lan", "home", "corp", "intranet"})


def fault(pattern: str) -> str | None:
    """Return why `pattern` may not stand in an allowlist; None where it may.

    It may be a full name (`api.example.org`), or `*.` and a name of at least two labels, which covers every
    name below it. Addresses in every notation, names of the inside and `*` alone are refused.
    Source for what counts as an address: WHATWG URL, "ends in a number".
    """
    if pattern in {"*", "*.*"}:
        return f"`{pattern}` covers every host: name each one"
    wrong = _wrong(pattern.removeprefix("*."))
    return f"`{pattern}` {wrong}" if wrong else None


def _wrong(name: str) -> str | None:
    labels = name.split(".")
    if "/" in name or ":" in name or "@" in name:
        return "is no domain: write the name alone, without scheme, port, path or address"
    if _NUMBER.fullmatch(labels[-1]):
        return "is an address: only names may stand in an allowlist"
    if labels[-1] in _INSIDE:
        return "is a name of the inside: it may not stand in an allowlist"
    if not all(LABEL.fullmatch(label) for label in labels) or len(name) > 253:
        return "is no domain: lower-case letters, digits, hyphens (xn-- for others) and dots"
    return "is too wide: a name has at least two parts" if len(labels) < 2 else None


def covered(name: str, patterns: Iterable[str]) -> bool:
    """Say whether a host's name is one of the patterns, or below one that starts with `*.`."""
    return any(
        name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern for pattern in patterns
    )
