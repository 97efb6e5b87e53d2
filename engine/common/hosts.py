"""Host patterns in allowlists: validated and matched."""

from __future__ import annotations

import re
from collections.abc import Iterable

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_INTERNAL = frozenset({"localhost", "local", "internal", "localdomain", "lan", "home", "corp", "intranet"})


def pattern_error(pattern: str) -> str | None:
    """Return why `pattern` is not allowed in an allowlist; None if it is.

    Allowed are a full name (`api.example.org`), and `*.` with a name of at least two labels, which matches
    every name below it. Addresses in any notation, internal names and `*` alone are refused.
    What counts as an address: WHATWG URL, "ends in a number".
    """
    if pattern in {"*", "*.*"}:
        return f"`{pattern}` matches every host: name each one"
    wrong = _wrong(pattern.removeprefix("*."))
    return f"`{pattern}` {wrong}" if wrong else None


def _wrong(name: str) -> str | None:
    labels = name.split(".")
    if "/" in name or ":" in name or "@" in name:
        return "is not a domain: write the name alone, without scheme, port, path or address"
    if _NUMBER.fullmatch(labels[-1]):
        return "is an address: an allowlist takes names only"
    if labels[-1] in _INTERNAL:
        return "is an internal name: an allowlist takes public names only"
    if not all(LABEL.fullmatch(label) for label in labels) or len(name) > 253:
        return "is not a domain: use lower-case letters, digits, hyphens (xn-- for others) and dots"
    return "is too wide: a name has at least two parts" if len(labels) < 2 else None


def matches(pattern: str, host: str) -> bool:
    """Return whether a host is the one that a pattern names, or below the name after its `*.`."""
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and host != pattern[1:]
    return host == pattern


def overlap(one: str, other: str) -> bool:
    """Return whether two patterns may name one host. `*.` and a name counts as naming that name, too."""
    name, other_name = one.removeprefix("*."), other.removeprefix("*.")
    return name == other_name or matches(one, other_name) or matches(other, name)


def matches_any(patterns: Iterable[str], host: str) -> bool:
    """Return whether one of the patterns matches a host."""
    return any(matches(pattern, host) for pattern in patterns)
