"""The caller of a request, and the scopes that each route needs; one that is not in the table needs `admin`.

Whoever may only submit is limited to their own submissions and sessions. That a token reads a closed
submission of another requester is recorded, like the reading of its events.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.routing import APIRoute

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import OPEN, Principal, Scope, Token
from engine.principals.identity import AGENT_SECRET, connected_agent, owner, token_holder

VERSION = "/v1"
"""What the paths of the API begin with; those for monitors do not."""
CALLER = "pratique.caller"
"""The key under which the middleware puts the caller into a request's scope."""


@dataclass(frozen=True)
class Caller:
    """The authenticated sender of a request: the socket's owner, one of their agents, or a token's holder."""

    principal: Principal
    scopes: frozenset[Scope]
    token: Token | None = None
    agent: str = ""
    """The secret of the connection of an unregistered agent over the socket; empty for anybody else."""

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the socket, in no other role."""
        return self.token is None and not self.agent

    def requester(self, named: Untrusted) -> Principal:
        """Return the requester. A name is a label of the owner's over the socket, and of nobody else's.

        Raises:
            Problem: the request has a token and another name.
        """
        own = self.principal
        if self.agent:
            return connected_agent(SOCKET_OWNER.principal, self.agent, named.text)
        if self.token and named and named != own.name:
            raise Problem(403, "a token submits in its own name only", hint="Leave out the requester.")
        return Principal(name=named or own.name, id=own.id, person=own.person)


SOCKET_OWNER = Caller(owner(), frozenset(Scope))
"""The owner of the socket, which nobody else can open: every role and scope."""


def caller_of_token(token: Token) -> Caller:
    """Return the caller of a token."""
    return Caller(token_holder(token), frozenset(token.scopes), token)


def caller_of_agent(secret: str) -> Caller:
    """Return the caller behind one connection of an unregistered agent over the socket: it may submit.

    Raises:
        Problem: the secret can be guessed.
    """
    if not re.fullmatch(AGENT_SECRET, secret):
        raise Problem(401, "an agent's connection is named by 43 to 128 random characters")
    return Caller(connected_agent(SOCKET_OWNER.principal, secret), _SUBMIT, agent=secret)


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
    "POST /submissions/{id}/receipt": _SUBMIT,
    "DELETE /submissions/{id}/receipt": _SUBMIT,
    "POST /submissions/{id}/decision": _REVIEW,
    "POST /submissions/{id}/claim": _REVIEW,
    "DELETE /submissions/{id}/claim": _REVIEW,
    "POST /submissions/{id}/presence": _REVIEW,
    "POST /submissions/{id}/extension": _REVIEW,
    "POST /submissions/{id}/revival": _REVIEW,
    "POST /submissions/{id}/rehearsal": _SUBMIT | _REVIEW,
    "DELETE /submissions/{id}/rehearsal": _SUBMIT | _REVIEW,
    "GET /submissions/{id}/rehearsal": _LOOK,
    "GET /submissions/{id}/revision": _LOOK,
    "GET /submissions/{id}/thread": _OWN,
    "GET /queue": _LOOK,
    "POST /queue/decisions": _REVIEW,
    "POST /queue/claims": _REVIEW,
    "POST /queue/assignments": _REVIEW,
    "GET /expired": _LOOK,
    "GET /submissions/{id}/similar": _LOOK,
    "GET /submissions/{id}/erasures": _OWN,
    "POST /submissions/{id}/consequences": _REVIEW,
    "POST /submissions/{id}/pre-approval": _REVIEW,
    "GET /pre-approvals": _LOOK,
    "DELETE /pre-approvals/{id}": _REVIEW,
    "GET /approvals/careless": _LOOK,
    "GET /drills": _REVIEW,
    "GET /policy/suggestions": _LOOK,
    "POST /policy/suggestions/{rule}/adoption": frozenset(),
    "GET /incidents": _LOOK,
    "POST /incidents": _REVIEW,
    "GET /incidents/{id}": _LOOK,
    "POST /incidents/{id}/entries": _REVIEW,
    "POST /incidents/{id}/file": _REVIEW,
    "GET /incidents/{id}/file/progress": _LOOK,
    "POST /submissions/{id}/notes": _REVIEW,
    "POST /submissions/{id}/tags": _REVIEW,
    "DELETE /submissions/{id}/tags/{tag}": _REVIEW,
    "GET /rescans": _LOOK,
    "POST /rescans": _REVIEW,
    "DELETE /rescans/{id}": _REVIEW,
    "POST /erasures": frozenset(),
    "GET /erasures": _LOOK,
    "GET /holds": _LOOK,
    "POST /holds": frozenset(),
    "DELETE /holds/{id}": frozenset(),
    "POST /person-files": frozenset(),
    "GET /queries": _LOOK,
    "POST /queries": _REVIEW,
    "DELETE /queries/{name}": _REVIEW,
    "GET /blocks": _LOOK,
    "POST /blocks": _REVIEW,
    "DELETE /blocks/{id}": _REVIEW,
    "GET /responses": _LOOK,
    "GET /responses/plan": _LOOK,
    "POST /responses": _REVIEW,
    "DELETE /responses/{id}": _REVIEW,
    "POST /analysis": _ANY,
    "POST /command-checks": _SUBMIT,
    "GET /code-names": _ANY,
    "GET /leases/{lease}": _SUBMIT,
    "GET /runs/{id}": _OWN,
    "GET /runs/{id}/output": _OWN,
    "GET /runs/{id}/meters": _OWN,
    "GET /runs/{id}/effects": _LOOK,
    "GET /runs/{id}/lines": _OWN,
    "GET /runs/{id}/look": _LOOK,
    "GET /runs/{id}/files": _OWN,
    "GET /runs/{id}/artifacts/{name:path}": _OWN,
    "POST /runs/{id}/previews": _REVIEW,
    "GET /previews": _REVIEW,
    "POST /previews/{id}/link": _REVIEW,
    "GET /previews/{id}/requests": _REVIEW,
    "DELETE /previews/{id}": _REVIEW,
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
    "GET /history/total": _LOOK,
    "GET /history/counts": _LOOK,
    "GET /history/filter": _ANY,
    "GET /history/trends": _LOOK,
    "POST /history/exports": _LOOK,
    "POST /history/checks": frozenset(),
    "GET /history/{id}/case": _LOOK,
    "GET /history/verification": _AUDIT,
    "GET /history/{id}/events": _LOOK,
    "POST /history/verification": _AUDIT,
    "POST /history/verification/checkpoints": _AUDIT,
    "GET /healthz": _ANY,
    "GET /readyz": _ANY,
    "GET /metrics": _AUDIT,
}
"""By method and path without the version, the scopes of which one is sufficient; `admin` always is."""


def require_scope(engine: Engine) -> Callable[[Request], Awaitable[None]]:
    """Return the dependency that checks scopes; a token that may only submit is limited to its own.

    Of several engines each one knows the submission from here on.
    """

    async def check(request: Request) -> None:
        route, caller = request.scope.get("route"), caller_of(request)
        path = route.path.removeprefix(VERSION) if isinstance(route, APIRoute) else ""
        allowed = ROUTE_SCOPES.get(f"{request.method} {path}", frozenset()) | {Scope.ADMIN}
        if not allowed & caller.scopes:
            raise Problem(
                403,
                "this token may not do that",
                hint=f"Use a token with scope {' or '.join(sorted(allowed))}.",
            )
        if not path.startswith(("/submissions/{id}", "/runs/{id}")):
            return
        if engine.several:
            await engine.several.find(request.path_params["id"])
        if caller.is_owner:
            return
        if allowed & caller.scopes == _SUBMIT:
            await _require_own(engine, request.path_params["id"], caller.principal)
        elif request.method == "GET":
            await _record_view(engine, request.path_params["id"], caller.principal)

    return check


async def _record_view(engine: Engine, id: str, by: Principal) -> None:
    case = await engine.queries.case(id)
    if case.status not in OPEN and not case.submission.requester.is_same(by):
        await engine.history.record_view(id, by)


async def _require_own(engine: Engine, id: str, by: Principal) -> None:
    if not (await engine.queries.case(id)).submission.requester.is_same(by):
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
