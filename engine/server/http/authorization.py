"""Who speaks, and what a token is good for. What is not in the table is for admins alone.

What a token reads of somebody else's submission that is over is recorded, as whoever opens its events is.
"""

from __future__ import annotations

import getpass
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.routing import APIRoute

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import ROLES, Principal, Role, Scope, Status, Token

CALLER = "pratique.caller"
"""Where the guard leaves in a request's scope who it let in."""


@dataclass(frozen=True)
class Caller:
    """Who speaks: the owner of the socket, or whoever a token stands for."""

    principal: Principal
    scopes: frozenset[Scope]
    token: Token | None = None

    def requester(self, named: Untrusted) -> Principal:
        """Return who asks: the name that an agent of the socket's owner gives itself, or the token's own.

        Raises:
            Problem: a token names somebody else.
        """
        if self.token is None:
            return Principal(name=named) if named else self.principal
        if named and named != self.token.name:
            raise Problem(403, "a token asks in its own name", hint="Leave the requester out.")
        return Principal(name=self.token.name)


OWNER = Caller(
    Principal(name=Untrusted(getpass.getuser()), roles=frozenset(Role)),
    frozenset(Scope),
)
"""Whoever owns the socket: it is theirs alone, so they may do everything."""


def of_token(token: Token) -> Caller:
    """Return who a token stands for."""
    roles = frozenset(ROLES[scope] for scope in token.scopes)
    return Caller(Principal(name=token.name, roles=roles), frozenset(token.scopes), token)


_GOING_ON = frozenset({Status.PENDING, Status.QUEUED, Status.RUNNING})
_OWN = frozenset({Scope.SUBMIT, Scope.REVIEW, Scope.AUDIT})
_SUBMIT = frozenset({Scope.SUBMIT})
_REVIEW = frozenset({Scope.REVIEW})
_LOOK = frozenset({Scope.REVIEW, Scope.AUDIT})
_AUDIT = frozenset({Scope.AUDIT})
_ANY = frozenset(Scope)

PERMITTED: dict[str, frozenset[Scope]] = {
    "POST /submissions": _SUBMIT,
    "GET /submissions": _LOOK,
    "GET /submissions/{id}": _OWN,
    "GET /submissions/{id}/analysis": _OWN,
    "GET /submissions/{id}/decision": _OWN,
    "POST /submissions/{id}/withdrawal": _SUBMIT,
    "POST /submissions/{id}/decision": _REVIEW,
    "POST /submissions/{id}/claim": _REVIEW,
    "DELETE /submissions/{id}/claim": _REVIEW,
    "GET /submissions/{id}/nearest": _LOOK,
    "GET /submissions/{id}/erased": _OWN,
    "POST /submissions/{id}/consequences": _REVIEW,
    "POST /submissions/{id}/pre-approval": _REVIEW,
    "GET /pre-approvals": _LOOK,
    "DELETE /pre-approvals/{id}": _REVIEW,
    "POST /analysis": _ANY,
    "GET /leases/{holder}": _SUBMIT,
    "GET /runs/{id}": _OWN,
    "GET /runs/{id}/output": _OWN,
    "GET /runs/{id}/meters": _OWN,
    "GET /runs/{id}/files": _OWN,
    "GET /runs/{id}/artifacts/{name:path}": _OWN,
    "POST /runs/{id}/stop": _REVIEW,
    "POST /runs/{id}/kill": _REVIEW,
    "POST /runs/{id}/freeze": _REVIEW,
    "POST /runs/{id}/thaw": _REVIEW,
    **dict.fromkeys(
        (
            "POST /sessions",
            "GET /sessions",
            "GET /sessions/{id}",
            "DELETE /sessions/{id}",
            "POST /sessions/{id}/execute",
            "POST /sessions/{id}/packages",
            "GET /sessions/{id}/calls/{call}",
            "GET /sessions/{id}/files",
            "GET /sessions/{id}/files/{path:path}",
            "PUT /sessions/{id}/files/{path:path}",
            "DELETE /sessions/{id}/files/{path:path}",
        ),
        _SUBMIT,
    ),
    "GET /events": _LOOK,
    "GET /audit": _OWN,
    "GET /audit/facets": _LOOK,
    "GET /audit/filter": _ANY,
    "GET /audit/trends": _LOOK,
    "POST /audit/exports": _LOOK,
    "GET /audit/{id}/case": _LOOK,
    "GET /audit/verification": _AUDIT,
    "GET /audit/{id}/events": _LOOK,
    "POST /audit/verification": _AUDIT,
    "POST /audit/witnessed": _AUDIT,
    "GET /healthz": _ANY,
    "GET /readyz": _ANY,
    "GET /metrics": _AUDIT,
}
"""By method and path, the scopes of which one is enough. `admin` is enough for all."""


def permitted(engine: Engine) -> Callable[[Request], Awaitable[None]]:
    """Return the dependency that keeps callers to what they may do, and tokens that submit to their own."""

    async def check(request: Request) -> None:
        route, caller = request.scope.get("route"), caller_of(request)
        path = route.path if isinstance(route, APIRoute) else ""
        enough = PERMITTED.get(f"{request.method} {path}", frozenset()) | {Scope.ADMIN}
        if not enough & caller.scopes:
            raise Problem(
                403,
                "this token is not good for that",
                hint=f"Use one of the scope {' or '.join(sorted(enough))}.",
            )
        if caller.token is None or not path.startswith(("/submissions/{id}", "/runs/{id}")):
            return
        if enough & caller.scopes == _SUBMIT:
            await _own(engine, request.path_params["id"], caller.principal)
        elif request.method == "GET":
            await _looked(engine, request.path_params["id"], caller.principal)

    return check


async def _looked(engine: Engine, id: str, by: Principal) -> None:
    case = await engine.queries.case(id)
    if case.status not in _GOING_ON and case.submission.requester.name != by.name:
        await engine.archive.looked(id, by)


async def _own(engine: Engine, id: str, by: Principal) -> None:
    if (await engine.queries.case(id)).submission.requester.name != by.name:
        raise Problem(404, f"no submission {id}", hint="Type: pratique history")


def caller_of(request: Request) -> Caller:
    """Return who the guard let in. Raises Problem (401) where a request passed none."""
    caller = request.scope.get(CALLER)
    if not isinstance(caller, Caller):
        raise Problem(401, "nobody was let in by that")
    return caller


async def speaking(request: Request) -> Caller:
    """Return who speaks."""
    return caller_of(request)


async def owner(request: Request) -> Principal:
    """Return the principal who speaks."""
    return caller_of(request).principal


Speaking = Annotated[Caller, Depends(speaking)]
Owner = Annotated[Principal, Depends(owner)]
