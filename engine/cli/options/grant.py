"""Approving with less: the grant that `--without` and `--limit` leave."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cli.options.draft import with_limit
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.models import Grant, Permissions

KINDS = {"domain": "domains", "package": "packages", "file": "files", "secret": "secrets", "build": "builds"}


def reduced_grant(asked: Permissions, without: Iterable[str], limits: Iterable[str]) -> Grant:
    """Return what is asked for, less what is named: `file:data.csv`, `session`, `memory_mb=256`.

    Raises:
        Problem: a name is not asked for, or a limit is none.
    """
    kept = asked
    for name in without:
        kept = _taken(kept, name)
    for limit in limits:
        kept = kept.model_copy(update={"limits": with_limit(kept.limits, limit)})
    return Grant(permissions=kept)


def _taken(asked: Permissions, name: str) -> Permissions:
    if name == "session" and asked.session:
        return asked.model_copy(update={"session": False})
    kind, _, value = name.partition(":")
    items = getattr(asked, KINDS[kind]) if kind in KINDS else ()
    left = tuple(item for item in items if _name(item) != value)
    if left == items:
        raise Problem(
            422, f"{visible(name)} is not asked for", hint="Write file:NAME, domain:NAME or session."
        )
    return asked.model_copy(update={KINDS[kind]: left})


def _name(item: object) -> str:
    return item.text if isinstance(item, Untrusted) else getattr(item, "name", Untrusted("")).text
