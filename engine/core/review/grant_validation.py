"""Validates grants: only what is enforced from outside the guest can be granted."""

from __future__ import annotations

from engine.common.errors import Problem
from engine.common.hosts import pattern_error
from engine.common.text import visible
from engine.core.config import secret_store
from engine.models import Draft, OperationKind, Permissions
from engine.sandbox.api import package_lock as lock

_STAYING = ("domains", "secrets", "packages", "builds")
"""What code in a session is not given: it is made before. Packages are installed apart."""
_WITHOUT = "Approve without."


def validate_grant(given: Permissions, draft: Draft) -> None:
    """Check that permissions can be granted to a draft. Raises Problem."""
    if given.session and not draft.session:
        raise Problem(422, "this engine cannot give a session to a run that names no sandbox", hint=_WITHOUT)
    if staying := _not_staying(given, draft):
        kinds = " and no ".join(staying)
        raise Problem(422, f"code in a session is given no {kinds}", hint=_WITHOUT)
    wrong = [why for domain in given.domains if (why := pattern_error(domain.text))]
    if wrong:
        raise Problem(422, f"no network is given: {visible(wrong[0])}", hint=_WITHOUT)
    secret_store.granted((name.text for name in given.secrets), (domain.text for domain in given.domains))
    try:
        if given.packages:
            lock.check(given.packages, draft.language)
    except lock.PackageLockError as error:
        raise Problem(422, f"no packages are given: {error}", hint=_WITHOUT) from None


def _not_staying(given: Permissions, draft: Draft) -> list[str]:
    installs = draft.operation is not None and draft.operation.kind is OperationKind.INSTALL
    wanted = [kind for kind in _STAYING if draft.session and getattr(given, kind)]
    return [kind for kind in wanted if not (installs and kind in {"packages", "builds"})]
