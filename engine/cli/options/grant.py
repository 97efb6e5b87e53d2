"""The grant of an approval with fewer permissions: `--without` and `--limit`."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cli.options.draft import with_limit
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.models import Grant, Permissions

KINDS = {"domain": "domains", "package": "packages", "file": "files", "secret": "secrets", "build": "builds"}


def reduced_grant(requested: Permissions, without: Iterable[str], limits: Iterable[str]) -> Grant:
    """Return the requested permissions without those named, and with lower limits.

    Raises:
        Problem: a permission was not requested, or a limit is invalid.
    """
    permissions = requested
    for name in without:
        permissions = _without(permissions, name)
    for limit in limits:
        permissions = permissions.with_limits(with_limit(permissions.limits, limit))
    return Grant(permissions=permissions)


def _without(requested: Permissions, name: str) -> Permissions:
    if name == "session" and requested.session:
        return requested.without_session()
    kind, _, value = name.partition(":")
    items = getattr(requested, KINDS[kind]) if kind in KINDS else ()
    left = tuple(item for item in items if _name(item) != value)
    if left == items:
        raise Problem(
            422, f"{visible(name)} was not requested", hint="Write file:NAME, domain:NAME, … or session"
        )
    return requested.with_names(KINDS[kind], left)


def _name(item: object) -> str:
    return item.text if isinstance(item, Untrusted) else getattr(item, "name", Untrusted("")).text
