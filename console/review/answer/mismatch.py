"""What code does that its purpose does not mention: a plain comparison of words, shown and never trusted.

It looks for a few English words, and for the very name of a host, command, file or variable, in the purpose.
That it finds nothing proves nothing: an agent can write any purpose. It names what to ask about.
"""

from __future__ import annotations

import re

from console.review.answer.effects import EffectRow, effect_rows
from console.safety.text import clip, visible_text
from engine.models import Case, Language

_NETWORK = (
    "http", "url", "web", "site", "api", "network", "internet", "online", "host", "server", "download",
    "upload", "fetch", "request", "send", "post", "scrape", "crawl", "query", "sync", "email",
)  # fmt: skip
_PLACES = ("file", "system", "path", "disk", "director", "folder")
_WORDS = {
    "environment": ("env", "variable", "config", "setting"),
    "contacts": _NETWORK,
    "secrets": (*_NETWORK, "secret", "token", "key", "credential", "password", "login", "auth"),
    "starts": ("run", "start", "execut", "command", "shell", "process", "program", "script", "build",
               "compil", "test", "install", "git"),
    "reads": (*_PLACES, "read", "config", "log", "scan"),
    "writes": (*_PLACES, "delet", "remov", "clean", "writ", "sav"),
}  # fmt: skip
"""The beginnings of words by which a purpose mentions an effect."""


def mismatch(case: Case, purpose_cells: int) -> str:
    """Return `says: …; reads the whole environment` where the purpose does not mention an effect."""
    draft = case.submission.draft
    found = [_said(row) for row in effect_rows(case) if _surprises(row, draft.purpose.text, draft.language)]
    if not found or draft.operation is not None:
        return ""
    purpose = clip(visible_text(draft.purpose).strip().rstrip("."), purpose_cells)
    return f"says: {purpose or 'nothing'}; {', '.join(found)}"


def _surprises(row: EffectRow, purpose: str, language: Language) -> bool:
    values = _unusual(row, language)
    words = re.findall(r"[a-z0-9]+", purpose.lower())
    mentioned = any(word.startswith(_WORDS.get(row.label, ())) for word in words)
    named = any(_name(value) and _name(value) in purpose.lower() for value in values)
    return bool(values) and not mentioned and not named


def _unusual(row: EffectRow, language: Language) -> tuple[str, ...]:
    """Return the values of a row that a purpose should mention: not packages, nor files in the workspace."""
    if row.label in {"reads", "writes"}:
        return tuple(
            each for each in row.predicted if each.startswith(("/", "~", "..")) or "(deleted)" in each
        )
    if row.label == "starts" and language is Language.SHELL:
        return ()
    if row.label == "secrets":
        return row.requested
    return row.predicted if row.label in _WORDS else ()


def _deletes(value: str) -> bool:
    return value.endswith("(deleted)")


def _name(value: str) -> str:
    return "" if " " in value else value.lower()


def _said(row: EffectRow) -> str:
    if row.label == "environment" and "all of it" in row.predicted:
        return "reads the whole environment"
    first, *others = row.predicted or row.requested
    more = f" and {len(others)} more" if others else ""
    return f"{row.verb} {first}{more}"
