"""The caller of a request, and the scopes that each route needs; one that is not in the table needs `admin`.

That a token reads a closed submission of another requester is recorded, like the reading of its events.
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
"""The key under which the middleware puts the caller into a request's scope."""


@dataclass(frozen=True)
class Caller:
    """The authenticated sender of a request: the owner of the socket, or the principal of a token."""

    principal: Principal
    scopes: frozenset[Scope]
    token: Token | None = None

    def requester(self, named: Untrusted) -> Principal:
        """Return the requester: the name given over the socket, or the name of the token.

        Raises:
            Problem: the request has a token and another name.
        """
        if self.token is None:
            return Principal(name=named) if named else self.principal
        if named and named != self.token.name:
            raise Problem(403, "a token submits in its own name only", hint="Leave out the requester.")
        return Principal(name=self.token.name)


SOCKET_OWNER = Caller(
    Principal(name=Untrusted(getpass.getuser()), roles=frozenset(Role)),
    frozenset(Scope),
)
"""The owner of the socket, which nobody else can open: every role and scope."""


def caller_of_token(token: Token) -> Caller:
    """Return the caller of a token."""
    roles = frozenset(ROLES[scope] for scope in token.scopes)
    return Caller(Principal(name=token.name, roles=roles), frozenset(token.scopes), token)


_OPEN = frozenset({Status.PENDING, Status.QUEUED, Status.RUNNING})
_OWN = frozenset({Scope.SUBMIT, Scope.REVIEW, Scope.AUDIT})
_SUBMIT = frozenset({Scope.SUBMIT})
_REVIEW = frozenset({Scope.REVIEW})
_LOOK = frozenset({Scope.REVIEW, Scope.AUDIT})
_AUDIT = frozenset({Scope.AUDIT})
_ANY = frozenset(Scope)

ROUTE_SCOPES: dict[str, frozenset[Scope]] = {
    "POST /submissions": _SUBMIT,
    "GET /submissions": _LOOK,
    "GET /submissions/{id}": _OWN,
    "GET /submissions/{id}/analysis": _OWN,
    "GET /submissions/{id}/decision": _OWN,
    "POST /submissions/{id}/withdrawal": _SUBMIT,
    "POST /submissions/{id}/decision": _REVIEW,
    "POST /submissions/{id}/claim": _REVIEW,
    "DELETE /submissions/{id}/claim": _REVIEW,
    "GET /submissions/{id}/similar": _LOOK,
    "GET /submissions/{id}/erasures": _OWN,
    "POST /submissions/{id}/consequences": _REVIEW,
    "POST /submissions/{id}/pre-approval": _REVIEW,
    "GET /pre-approvals": _LOOK,
    "DELETE /pre-approvals/{id}": _REVIEW,
    "POST /analysis": _ANY,
    "GET /leases/{lease}": _SUBMIT,
    "GET /runs/{id}": _OWN,
    "GET /runs/{id}/output": _OWN,
    "GET /runs/{id}/meters": _OWN,
    "GET /runs/{id}/files": _OWN,
    "GET /runs/{id}/artifacts/{name:path}": _OWN,
    "POST /runs/{id}/stop": _REVIEW,
    "POST /runs/{id}/kill": _REVIEW,
    "POST /runs/{id}/pause": _REVIEW,
    "POST /runs/{id}/resume": _REVIEW,
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
    "GET /history": _OWN,
    "GET /history/facets": _LOOK,
    "GET /history/filter": _ANY,
    "GET /history/trends": _LOOK,
    "POST /history/exports": _LOOK,
    "GET /history/{id}/case": _LOOK,
    "GET /history/verification": _AUDIT,
    "GET /history/{id}/events": _LOOK,
    "POST /history/verification": _AUDIT,
    "POST /history/verification/checkpoints": _AUDIT,
    "GET /healthz": _ANY,
    "GET /readyz": _ANY,
    "GET /metrics": _AUDIT,
}
"""By method and path, the scopes of which one is sufficient; `admin` is sufficient everywhere."""


def require_scope(engine: Engine) -> Callable[[Request], Awaitable[None]]:
    """Return the dependency that checks scopes; a token that may only submit is limited to its own."""

    async def check(request: Request) -> None:
        route, caller = request.scope.get("route"), caller_of(request)
        path = route.path if isinstance(route, APIRoute) else ""
        allowed = ROUTE_SCOPES.get(f"{request.method} {path}", frozenset()) | {Scope.ADMIN}
        if not allowed & caller.scopes:
            raise Problem(
                403,
                "this token may not do that",
                hint=f"Use a token with scope {' or '.join(sorted(allowed))}.",
            )
        if caller.token is None or not path.startswith(("/submissions/{id}", "/runs/{id}")):
            return
        if allowed & caller.scopes == _SUBMIT:
            await _require_own(engine, request.path_params["id"], caller.principal)
        elif request.method == "GET":
            await _record_view(engine, request.path_params["id"], caller.principal)

    return check


async def _record_view(engine: Engine, id: str, by: Principal) -> None:
    case = await engine.queries.case(id)
    if case.status not in _OPEN and case.submission.requester.name != by.name:
        await engine.history.record_view(id, by)


async def _require_own(engine: Engine, id: str, by: Principal) -> None:
    if (await engine.queries.case(id)).submission.requester.name != by.name:
        raise Problem(404, f"no submission {id}", hint="Type: pratique history")


def caller_of(request: Request) -> Caller:
    """Return the caller. Raises Problem (401) if the request was not authenticated."""
    caller = request.scope.get(CALLER)
    if not isinstance(caller, Caller):
        raise Problem(401, "this request was not authenticated")
    return caller


async def current_caller(request: Request) -> Caller:
    """Return the caller."""
    return caller_of(request)


async def current_principal(request: Request) -> Principal:
    """Return the principal of the caller."""
    return caller_of(request).principal


CurrentCaller = Annotated[Caller, Depends(current_caller)]
CurrentPrincipal = Annotated[Principal, Depends(current_principal)]
