"""Who sent a request, what their scopes allow, and that one who may only submit sees only their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import Request
from fastapi.routing import APIRoute

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import DecisionOutcome, Draft, Language, Role, Scope, Token
from engine.principals.identity import connected_agent, token_holder
from engine.server.http.authorization import (
    CALLER,
    SOCKET_OWNER,
    Caller,
    caller_of,
    caller_of_agent,
    caller_of_token,
    current_caller,
    current_principal,
    require_scope,
)
from tests.engine.core.conftest import EngineMaker, engine_with, home, no_docker

__all__ = ["engine_with", "home", "no_docker"]

SECRET = "a" * 43
NOW = datetime(2030, 1, 1, tzinfo=UTC)


def token(*scopes: Scope, id: str = "t-1") -> Token:
    """Return a token with these scopes."""
    return Token(
        id=id, name="ci", person="ci", scopes=scopes, created_at=NOW, expires_at=NOW + timedelta(days=1)
    )


def holder(*scopes: Scope, id: str = "t-1") -> Caller:
    """Return the caller of such a token."""
    return caller_of_token(token(*scopes, id=id))


# --- callers


def test_the_caller_of_a_token_is_its_holder_with_its_scopes() -> None:
    """And not the owner of the socket."""
    caller = holder(Scope.SUBMIT, Scope.AUDIT)
    assert (token_holder(token(Scope.SUBMIT, Scope.AUDIT)), frozenset({Scope.SUBMIT, Scope.AUDIT})) == (
        caller.principal, caller.scopes
    )  # fmt: skip
    assert token(Scope.SUBMIT, Scope.AUDIT) == caller.token
    assert not caller.is_owner


def test_the_owner_of_the_socket_has_every_scope() -> None:
    """And every role."""
    assert SOCKET_OWNER.is_owner
    assert (frozenset(Scope), frozenset(Role)) == (SOCKET_OWNER.scopes, SOCKET_OWNER.principal.roles)


def test_a_connected_agent_may_only_submit() -> None:
    """It is nobody else's, and no owner."""
    caller = caller_of_agent(SECRET)
    assert connected_agent(SOCKET_OWNER.principal, SECRET) == caller.principal
    assert (frozenset({Scope.SUBMIT}), SECRET, False) == (caller.scopes, caller.agent, caller.is_owner)


@pytest.mark.parametrize("secret", ["", "a" * 42, "a" * 129, "a" * 43 + "\n", "ä" * 43])
def test_a_secret_that_can_be_guessed_names_no_agent(secret: str) -> None:
    """It is refused."""
    with pytest.raises(Problem, match="43 to 128") as refused:
        caller_of_agent(secret)
    assert 401 == refused.value.status


def test_a_token_submits_in_its_own_name_only() -> None:
    """Its own name may be given; another one is refused."""
    caller = holder(Scope.SUBMIT)
    assert ("ci", "token:t-1", "ci") == (
        caller.requester(Untrusted("")).name.text, caller.requester(Untrusted("ci")).id,
        caller.requester(Untrusted("")).person,
    )  # fmt: skip
    with pytest.raises(Problem, match="own name only") as refused:
        caller.requester(Untrusted("other"))
    assert (403, "Leave out the requester.") == (refused.value.status, refused.value.hint)


def test_the_owner_names_requesters() -> None:
    """Under the owner's id; without a name it is the owner, and in no other role than a requester's."""
    named, own = SOCKET_OWNER.requester(Untrusted("bot")), SOCKET_OWNER.requester(Untrusted(""))
    me = SOCKET_OWNER.principal
    assert ("bot", me.id, me.person) == (named.name.text, named.id, named.person)
    assert (me.name, frozenset({Role.REQUESTER})) == (own.name, own.roles)


def test_the_name_that_an_agent_gives_is_its_label() -> None:
    """Its id stays that of its connection."""
    requester = caller_of_agent(SECRET).requester(Untrusted("bot"))
    assert connected_agent(SOCKET_OWNER.principal, SECRET, "bot") == requester


async def test_a_request_without_a_caller_is_refused() -> None:
    """Whatever else it has; one with a caller is theirs."""
    caller = holder(Scope.SUBMIT)
    assert caller == await current_caller(Request({"type": "http", CALLER: caller}))
    assert caller.principal == await current_principal(Request({"type": "http", CALLER: caller}))
    with pytest.raises(Problem, match="not authenticated") as refused:
        caller_of(Request({"type": "http", CALLER: "ci"}))
    assert 401 == refused.value.status


# --- scopes


@pytest.fixture
async def running(engine_with: EngineMaker, no_docker: None) -> AsyncIterator[Engine]:
    """Return an engine that runs nothing."""
    async with engine_with() as made:
        yield made


async def _nothing() -> None: ...


async def check(engine: Engine, caller: Caller, operation: str, id: str = "") -> None:
    """Check the scopes of a request, such as `GET /v1/queue`."""
    method, _, path = operation.partition(" ")
    route = APIRoute(path, _nothing)
    scope = {"type": "http", "method": method, "route": route, CALLER: caller, "path_params": {"id": id}}
    await require_scope(engine)(Request(scope))


async def registered(engine: Engine, name: str, *scopes: Scope) -> Caller:
    """Return the caller of a token that the engine knows."""
    return caller_of_token((await engine.tokens.create(name, scopes, 1, SOCKET_OWNER.principal)).token)


async def submitted(engine: Engine, caller: Caller) -> str:
    """Return the id of a submission that waits."""
    draft = Draft(code=Untrusted("import os\nos.remove('x')\n"), language=Language.PYTHON)
    return (await engine.submissions.submit(draft, caller.requester(Untrusted("")))).submission.id


async def views(engine: Engine, id: str) -> list[str]:
    """Return who was recorded to have viewed a submission."""
    events = await engine._log.read.events(0, id)
    return [one.actor.text for one in events if one.type == "history.viewed"]


@pytest.mark.parametrize(
    ("scope", "operation"),
    [
        (Scope.SUBMIT, "POST /v1/submissions"),
        (Scope.REVIEW, "GET /v1/queue"),
        (Scope.AUDIT, "GET /v1/queue"),
        (Scope.ADMIN, "GET /v1/queue"),
        (Scope.ADMIN, "POST /v1/tokens"),
        (Scope.AUDIT, "GET /metrics"),
    ],
)
async def test_one_of_the_scopes_is_enough(running: Engine, scope: Scope, operation: str) -> None:
    """`admin` always is."""
    await check(running, holder(scope), operation)


@pytest.mark.parametrize(
    ("scope", "operation", "wanted"),
    [
        (Scope.SUBMIT, "GET /v1/queue", "admin or audit or review"),
        (Scope.REVIEW, "POST /v1/submissions", "admin or submit"),
        (Scope.AUDIT, "POST /v1/queue/decisions", "admin or review"),
        (Scope.REVIEW, "POST /v1/tokens", "admin"),
        (Scope.REVIEW, "DELETE /v1/queue", "admin"),
    ],
)
async def test_without_one_a_request_is_refused(
    running: Engine, scope: Scope, operation: str, wanted: str
) -> None:
    """What is not in the table needs `admin`; the hint names what suffices."""
    with pytest.raises(Problem, match="may not do that") as refused:
        await check(running, holder(scope), operation)
    assert (403, f"Use a token with scope {wanted}.") == (refused.value.status, refused.value.hint)


async def test_a_request_without_a_route_needs_admin(running: Engine) -> None:
    """What no route answers to is in no table."""
    scope = {"type": "http", "method": "GET", CALLER: holder(Scope.SUBMIT, Scope.REVIEW, Scope.AUDIT)}
    with pytest.raises(Problem, match="may not do that"):
        await require_scope(running)(Request(scope))


async def test_who_may_only_submit_sees_only_their_own(running: Engine) -> None:
    """Of another one's it is said that there is none, as of one that there is not."""
    mine, other = await registered(running, "ci", Scope.SUBMIT), holder(Scope.SUBMIT, id="t-2")
    id = await submitted(running, mine)
    for path in ("/v1/submissions/{id}", "/v1/runs/{id}/output"):
        await check(running, mine, f"GET {path}", id)
        with pytest.raises(Problem, match=f"no submission {id}") as refused:
            await check(running, other, f"GET {path}", id)
        assert (404, "Type: pratique history") == (refused.value.status, refused.value.hint)
    await check(running, holder(Scope.SUBMIT, Scope.REVIEW, id="t-2"), "GET /v1/submissions/{id}", id)
    await check(running, other, "GET /v1/sessions/{id}", id)
    await check(running, SOCKET_OWNER, "GET /v1/submissions/{id}", id)


async def test_that_a_token_reads_a_closed_submission_of_another_is_recorded(running: Engine) -> None:
    """Not while it waits, not by its requester or the owner, and not by what changes something."""
    mine = await registered(running, "mine", Scope.SUBMIT, Scope.AUDIT)
    reader = holder(Scope.AUDIT, id="t-2")
    id = await submitted(running, mine)
    await check(running, reader, "GET /v1/submissions/{id}", id)
    assert [] == await views(running, id)
    digest = (await running.queries.case(id)).submission.digest
    await running.submissions.decide(id, SOCKET_OWNER.principal, DecisionOutcome.DENIED, digest, "no")
    for caller in (mine, SOCKET_OWNER):
        await check(running, caller, "GET /v1/submissions/{id}", id)
    await check(running, holder(Scope.REVIEW, id="t-3"), "POST /v1/submissions/{id}/claim", id)
    assert [] == await views(running, id)
    await check(running, reader, "GET /v1/submissions/{id}", id)
    assert ["ci"] == await views(running, id)
