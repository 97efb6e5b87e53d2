"""A promise of the sandbox, and a program that tries to break it.

A program prints `held` when it could not, or whatever it got hold of when it could.
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
    """One promise, and the program that tries to break it."""

    name: str
    promise: str
    code: str
    ends: frozenset[KillReason] = ENDED
    """How the run may end. Where it may end well it must also have said `held`."""
    language: Language = Language.PYTHON
    limits: dict[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of hosts that it was granted, and where they lead."""
    secrets: tuple[Secret, ...] = ()


def refused(name: str, promise: str, *steps: str, before: str = "") -> AttackCase:
    """Return an attempt of several steps, each of which must raise an error."""
    lines = ["import ctypes, os, socket, sys", "libc = ctypes.CDLL(None, use_errno=True)", before]
    lines += [
        "def must(result):\n    if result < 0: raise OSError(ctypes.get_errno(), 'refused')",
        (
            "def attempt(step, what):\n"
            "    try: got = step()\n"
            "    except (OSError, ValueError): return\n"
            "    print('got through:', what, got); sys.exit()"
        ),
    ]
    lines += [f"attempt(lambda: {step}, {step!r})" for step in steps]
    return AttackCase(name, promise, "\n".join([*lines, "print('held')"]))


def ends(name: str, promise: str, code: str, *reasons: KillReason, **limits: Any) -> AttackCase:
    """Return an attempt that ends for one of the reasons."""
    return AttackCase(name, promise, code, frozenset(reasons), limits={"seconds": 5} | limits)
