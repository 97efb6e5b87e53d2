"""The client of sessions; what needs a person is waited for.

async with SandboxClient() as client:
    session = await client.create_session(Language.PYTHON)
    async for line in client.execute(session.id, "print(6 * 7)"):
        print(line.text or line.error or line.status)
"""

from __future__ import annotations

import contextlib
import json
import ssl
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter

from engine import locations
from engine.client.transport import DEADLINE_SECONDS, Connection, no_other_way, problem_of, unanswered
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Language, Package, Session
from engine.models.api import CreateSession, ExecuteRequest, InstallRequest, OutputLine, PendingCall

WITHIN = 50.0
"""Seconds that one request waits for a person; then it is made again."""

_SESSIONS = TypeAdapter(tuple[Session, ...])


class SessionClient(Connection):
    """Opens and uses sessions of one requester. Every method raises `Problem` where the answer is no."""

    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        super().__init__(where or locations.socket(), token, verify)
        self._requester = Untrusted(requester)

    async def create_session(self, language: Language, image: str = "", requester: str = "") -> Session:
        """Create a session."""
        opening = CreateSession(language=language, image=image)
        body = await self._post("/sessions", opening, headers=self._named(requester))
        return Session.model_validate_json(body)

    async def sessions(self, requester: str = "") -> tuple[Session, ...]:
        """Return one's own sessions, the oldest first."""
        body = await self._send("GET", "/sessions", headers=self._named(requester))
        return _SESSIONS.validate_json(body)

    async def session(self, id: str, requester: str = "") -> Session:
        """Return a session of one's own."""
        body = await self._send("GET", f"/sessions/{id}", headers=self._named(requester))
        return Session.model_validate_json(body)

    async def close_session(self, id: str, requester: str = "") -> Session:
        """End a session of one's own, with whatever runs in it."""
        body = await self._send("DELETE", f"/sessions/{id}", headers=self._named(requester))
        return Session.model_validate_json(body)

    async def execute(self, id: str, code: str, purpose: str = "") -> AsyncGenerator[OutputLine, None]:
        """Run code in a session and yield what it says, live once it is approved; last its status."""
        body = ExecuteRequest(code=Untrusted(code), purpose=Untrusted(purpose)).model_dump_json(
            exclude_defaults=True
        )
        async with contextlib.aclosing(self._spoken("POST", f"/sessions/{id}/execute", body)) as lines:
            async for line in lines:
                yield line

    async def install(
        self, id: str, *packages: Package, builds: Iterable[str] = ()
    ) -> AsyncGenerator[OutputLine, None]:
        """Install packages in a session, and yield what is said meanwhile; last its status.

        `builds` names those that may run code of their own meanwhile.
        """
        wanted = InstallRequest(packages=packages, builds=tuple(Untrusted(name) for name in builds))
        body = wanted.model_dump_json()
        async with contextlib.aclosing(self._spoken("POST", f"/sessions/{id}/packages", body)) as lines:
            async for line in lines:
                yield line

    async def list_files(self, id: str, path: str = "") -> list[dict[str, Any]]:
        """Return the entries of a folder below `/workspace`. Names are the guest's own."""
        found = json.loads(await self._called("GET", f"/sessions/{id}/files", {"path": path}))
        return list(found)

    async def read_file(self, id: str, path: str) -> bytes:
        """Return the bytes of a file."""
        return await self._called("GET", f"/sessions/{id}/files/{quote(path)}", {})

    async def write_file(self, id: str, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file."""
        asked = {"executable": str(executable).lower()}
        await self._called("PUT", f"/sessions/{id}/files/{quote(path)}", asked, content)

    async def remove_file(self, id: str, path: str) -> None:
        """Remove a file."""
        await self._called("DELETE", f"/sessions/{id}/files/{quote(path)}", {})

    async def _called(self, method: str, path: str, params: dict[str, str], content: bytes = b"") -> bytes:
        """Make a call in a session, wait for whoever has to approve it, and return its answer."""
        options: dict[str, Any] = {
            "headers": self._named(),
            "timeout": DEADLINE_SECONDS + 2 * WITHIN,
        }
        asked = {**params, "within": str(WITHIN)}
        answer = await self._asked(method, path, params=asked, content=content or None, **options)
        while answer.status_code == 202:
            where = PendingCall.model_validate_json(answer.content).location
            answer = await self._asked("GET", where, params={"within": str(WITHIN)}, **options)
        return answer.content

    async def _spoken(self, method: str, path: str, body: str) -> AsyncGenerator[OutputLine, None]:
        endless = httpx.Timeout(DEADLINE_SECONDS, read=None)
        content: str | None = body
        while path:
            no_other_way(path)
            headers = {**self._named(), **({"content-type": "application/json"} if content else {})}
            request = self._http.build_request(
                method, path, params={"within": WITHIN}, content=content, headers=headers, timeout=endless
            )
            async with contextlib.aclosing(self._streamed(request)) as lines:
                path = ""
                async for line in lines:
                    asked = json.loads(line)
                    if "location" in asked:
                        method, path, content = "GET", asked["location"], None
                    else:
                        yield OutputLine.model_validate(asked)

    async def _streamed(self, request: httpx.Request) -> AsyncGenerator[str, None]:
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.is_error:
                    raise problem_of(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    yield line
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise unanswered(error) from error

    def _named(self, requester: str = "") -> dict[str, str]:
        name = requester or self._requester.text
        return {"pratique-requester": quote(name)} if name else {}


__all__ = ["Problem", "SessionClient"]
