"""Which token opened which MCP session: no other one uses, reads or ends it."""

from __future__ import annotations

from collections import OrderedDict

from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

from engine.server.http.authorization import CALLER, Caller

SESSION = "mcp-session-id"
MOST = 4096
"""How many sessions are remembered; one that is forgotten has to be initialized anew."""


class SessionHolders:
    """The ids of sessions, and the ids of their tokens."""

    def __init__(self) -> None:
        self._tokens: OrderedDict[str, str] = OrderedDict()

    def may_use(self, scope: Scope) -> bool:
        """Return whether a request names no session, or one of its own token."""
        named = Headers(scope=scope).getlist(SESSION)
        return not named or (len(named) == 1 and self._tokens.get(named[0]) == _token(scope))

    def noting(self, scope: Scope, send: Send) -> Send:
        """Return `send`, which notes the session that an answer opens."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                opened = Headers(raw=list(message.get("headers", ()))).get(SESSION)
                if opened:
                    self._tokens.setdefault(opened, _token(scope))
                    self._tokens.move_to_end(opened)
                while len(self._tokens) > MOST:
                    self._tokens.popitem(last=False)
            await send(message)

        return noted


def _token(scope: Scope) -> str:
    caller = scope.get(CALLER)
    return caller.token.id if isinstance(caller, Caller) and caller.token else ""
