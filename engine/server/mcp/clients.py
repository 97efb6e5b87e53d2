"""The client of the engine that acts for the agent of a call, and as nobody else."""

from __future__ import annotations

import contextlib
import hashlib
from types import TracebackType
from typing import Protocol, Self

from engine.client.client import Client
from engine.server.mcp.requester import Context, client_name, token_of


class AgentClients(Protocol):
    """Finds the client of an agent, and what tells it from others."""

    def client(self, context: Context) -> Client:
        """Return the client that acts as the agent of a call."""

    def name(self, context: Context) -> str:
        """Return the label of the agent; empty where its token names it."""

    def key(self, context: Context) -> str:
        """Return what tells the agent from every other one of this process."""


class OneAgent:
    """The one agent of a server over stdio. With `labelled`, its program may label it."""

    def __init__(self, client: Client, *, labelled: bool) -> None:
        self._client = client
        self._labelled = labelled

    def client(self, context: Context) -> Client:
        """Return the client of this process."""
        return self._client

    def name(self, context: Context) -> str:
        """Return the name that the agent's program gives itself; empty where a token names it."""
        return client_name(context) if self._labelled else ""

    def key(self, context: Context) -> str:
        """Return nothing: there is one agent."""
        return ""


class TokenAgents:
    """The agents of a server over HTTP: each acts with its own token, which is checked at every call."""

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def client(self, context: Context) -> Client:
        """Return the client of the token of a call."""
        key = self.key(context)
        if key not in self._clients:
            self._clients[key] = client = Client(token=token_of(context))
            self._stack.push_async_callback(client.close)
        return self._clients[key]

    def name(self, context: Context) -> str:
        """Return nothing: the token names the agent."""
        return ""

    def key(self, context: Context) -> str:
        """Return the hash of the token of a call."""
        return hashlib.sha256(token_of(context).encode()).hexdigest()
