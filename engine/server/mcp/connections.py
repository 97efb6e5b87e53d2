"""Agents over stdio: `pratique mcp` brings their messages here, and the engine serves them.

A connection is one streamed answer (`GET`), which carries what the agent reads, and one request (`POST`) for
each message that it writes. It ends with the answer, and everything that it holds with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from mcp.shared._context_streams import ContextReceiveStream, ContextSendStream, create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.datastructures import Headers, QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models.api import LEASE
from engine.server.http.authorization import CALLER, Caller
from engine.server.http.middleware.authentication import bearer
from engine.server.http.problems import problem_response
from engine.server.mcp.clients import OneAgent
from engine.server.mcp.patience import Patience
from engine.server.mcp.server import build
from engine.server.mcp.stdio.link import CONNECTIONS, WAIT
from engine.server.mcp.tool_calls import ToolCalls
from engine.settings import Settings

READER_SECONDS = 20.0
"""How long an agent may take until the next message can be written to it."""
WAITING_MESSAGES = 64
MOST_WAIT = 3600.0

CANCELLED = "notifications/cancelled"

Inbox = ContextSendStream[SessionMessage | Exception]
Outbox = ContextReceiveStream[SessionMessage]


class _Connection(NamedTuple):
    inbox: Inbox
    calls: ToolCalls


class AgentConnections:
    """The open connections: each belongs to the caller that opened it, and to nobody else."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[tuple[str, str], _Connection] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection, or take a message of one."""
        try:
            key = _key(scope)
            if scope["method"] == "GET":
                await self._serve(key, scope, receive, send)
            else:
                await self._take(key, scope, receive)
                await Response(status_code=202)(scope, receive, send)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)

    async def _take(self, key: tuple[str, str], scope: Scope, receive: Receive) -> None:
        connection = self._open.get(key)
        if scope["method"] != "POST" or connection is None:
            raise Problem(404, "there is no such connection of an agent", hint="Type: pratique mcp")
        try:
            message = jsonrpc_message_adapter.validate_json(await _body(receive), by_name=False)
        except ValidationError:
            raise Problem(400, "this is no message of MCP", hint="Send one JSON-RPC message.") from None
        if isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            request = (message.params or {}).get("requestId")
            if isinstance(request, (str, int)):
                connection.calls.given_up(request)
        await connection.inbox.send(SessionMessage(message))

    async def _serve(self, key: tuple[str, str], scope: Scope, receive: Receive, send: Send) -> None:
        if key in self._open:
            raise Problem(409, "this connection is open", hint="Choose another name.")
        patience = _patience(scope, self._settings)
        inbox, messages = create_context_streams[SessionMessage | Exception](WAITING_MESSAGES)
        answers, outbox = create_context_streams[SessionMessage](WAITING_MESSAGES)
        async with _calls(scope, self._settings, patience) as calls, inbox, messages, answers, outbox:
            self._open[key] = _Connection(inbox, calls)
            try:
                server = build(calls, self._settings)
                serving = server.run(messages, answers, server.create_initialization_options())
                await _until_first_ends(serving, _write(outbox, send), _gone(receive))
            finally:
                del self._open[key]


async def _until_first_ends(*parts: Any) -> None:
    """Do several things at once until one of them has ended; then end the others."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _write(outbox: Outbox, send: Send) -> None:
    head = [(b"content-type", b"application/x-ndjson")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": b"\n", "more_body": True})
    async for answered in outbox:
        line = answered.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with asyncio.timeout(READER_SECONDS):
            await send({"type": "http.response.body", "body": line, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "the message broke off", hint="Send it again.")
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


@contextlib.asynccontextmanager
async def _calls(scope: Scope, settings: Settings, patience: Patience) -> AsyncIterator[ToolCalls]:
    """Yield the tools of the agent behind a connection; nothing of theirs outlives the block.

    Its lease has a name that only it knows, the same for every connection of one registered agent.
    """
    caller: Caller = scope[CALLER]
    secret = caller.agent or bearer(Headers(scope=scope))
    lease = hashlib.sha256(f"lease of {secret}".encode()).hexdigest()[:32]
    client = Client(agent=secret) if caller.agent else Client(token=secret)
    agent = OneAgent(client, labelled=bool(caller.agent))
    async with client, asyncio.TaskGroup() as tasks:
        calls = ToolCalls(agent, settings.server, tasks, patience, lease=lease)
        held = tasks.create_task(calls.hold_lease(client))
        try:
            yield calls
        finally:
            held.cancel()
            calls.cancel_withdrawals()


def _key(scope: Scope) -> tuple[str, str]:
    name = scope["path"].removeprefix(CONNECTIONS)
    if not re.fullmatch(LEASE, name):
        raise Problem(404, "there is no such connection of an agent", hint="Type: pratique mcp")
    return scope[CALLER].principal.id, name


def _patience(scope: Scope, settings: Settings) -> Patience:
    """Return how long calls may wait: as the client says of itself, else as the settings say."""
    named = QueryParams(scope["query_string"]).get(WAIT, "")
    try:
        given = float(named) if named else None
    except ValueError:
        given = -1.0
    if given is not None and not 0 <= given <= MOST_WAIT:
        raise Problem(422, f"{WAIT} is a number of seconds from 0 to {MOST_WAIT:g}")
    return Patience.of(settings.server, given)
