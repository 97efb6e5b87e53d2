"""Imported entries as a policy file, each with the line that it comes from and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from engine.common.text import visible
from engine.policy.imports.imported import ImportedEntry, ImportStatus

MOST_SHOWN = 300
"""Characters of an entry in a comment."""


class _Plain(yaml.SafeDumper):
    """Writes no aliases, which policy files do not have."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def policy_text(source: str, entries: Sequence[ImportedEntry]) -> str:
    """Return a policy file. What no rule stands for is a comment."""
    head = f"# Imported from {_shown(source)}: {summary(entries)}. Nothing here lowers a risk."
    rules = [entry for entry in entries if entry.rule]
    others = [_comment(entry) for entry in entries if not entry.rule]
    body = [line for entry in rules for line in (f"  {_comment(entry)}", _rule(entry.rule))]
    tail = ["", "# No rules came of these:", *others] if others else []
    return "\n".join([head, "rules:" if rules else "rules: []", *body, *tail]) + "\n"


def summary(entries: Sequence[ImportedEntry]) -> str:
    """Return how many entries had which fate."""
    counts = {status: sum(entry.status is status for entry in entries) for status in ImportStatus}
    return f"{len(entries)} entries: " + ", ".join(f"{n} {status}" for status, n in counts.items())


def describe(entry: ImportedEntry) -> str:
    """Return an entry and what became of it, in one line of visible characters."""
    return f"line {entry.line}: {_shown(entry.text)} - {entry.status}: {_shown(entry.reason)}"


def _comment(entry: ImportedEntry) -> str:
    return f"# {describe(entry)}"


def _rule(rule: dict[str, Any]) -> str:
    text = yaml.dump([rule], Dumper=_Plain, sort_keys=False, allow_unicode=False, width=1 << 20)
    return "\n".join(f"  {line}" for line in text.rstrip("\n").split("\n"))


def _shown(text: str) -> str:
    return visible(text[:MOST_SHOWN]) + ("…" if len(text) > MOST_SHOWN else "")
