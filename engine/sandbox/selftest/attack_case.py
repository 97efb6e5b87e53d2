"""A guarantee of the sandbox, and a program that attacks it.

The program prints `held` if the guarantee held, and otherwise what it obtained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.models import KillReason, Language
from engine.sandbox.api.network_spec import Secret

ENDED = frozenset({KillReason.NONE})


@dataclass(frozen=True, slots=True)
class AttackCase:
    """One guarantee, and the program that attacks it."""

    name: str
    guarantee: str
    code: str
    ends: frozenset[KillReason] = ENDED
    """The expected kill reasons. If that is only `none`, the program must also print `held`."""
    language: Language = Language.PYTHON
    limits: dict[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """The granted host names, and the addresses that they resolve to."""
    secrets: tuple[Secret, ...] = ()


def refused(name: str, guarantee: str, *steps: str, before: str = "") -> AttackCase:
    """Return an attack of several steps, each of which must raise an error."""
    lines = ["import ctypes, os, socket, sys", "libc = ctypes.CDLL(None, use_errno=True)", before]
    lines += [
        "def must(result):\n    if result < 0: raise OSError(ctypes.get_errno(), 'refused')",
        (
            "def attack(step, what):\n"
            "    try: got = step()\n"
            "    except (OSError, ValueError): return\n"
            "    print('not refused:', what, got); sys.exit()"
        ),
    ]
    lines += [f"attack(lambda: {step}, {step!r})" for step in steps]
    return AttackCase(name, guarantee, "\n".join([*lines, "print('held')"]))


def ends(name: str, guarantee: str, code: str, *reasons: KillReason, **limits: Any) -> AttackCase:
    """Return an attack whose run must end for one of the reasons."""
    return AttackCase(name, guarantee, code, frozenset(reasons), limits={"seconds": 5} | limits)
