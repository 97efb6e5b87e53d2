"""Sessions through the client. Calls that need a review are waited for.

async with SandboxClient() as client:
    session = await client.create_session(Language.PYTHON)
    async for line in client.sessions.execute(session.id, "print(6 * 7)"):
        print(line.text or line.error or line.status)
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import DEADLINE_SECONDS, Transport
from engine.common.text import Untrusted
from engine.models import Language, Package, Session
from engine.models.api import CreateSession, ExecuteRequest, InstallPackagesRequest, OutputLine, PendingCall

WITHIN = 50.0
"""Seconds that one request waits for a person; then it is made again."""

_SESSIONS = TypeAdapter(tuple[Session, ...])


class SessionsClient:
    """Creates, uses and closes the sessions of one requester."""

    def __init__(self, transport: Transport, requester: Untrusted) -> None:
        self._transport = transport
        self._requester = requester

    async def create(self, language: Language, image: str = "", requester: str = "") -> Session:
        """Create a session."""
        opening = CreateSession(language=language, image=image)
        body = await self._transport.post("/v1/sessions", opening, headers=self._headers(requester))
        return Session.model_validate_json(body)

    async def list(self, requester: str = "") -> tuple[Session, ...]:
        """Return one's own sessions, the oldest first."""
        body = await self._transport.send("GET", "/v1/sessions", headers=self._headers(requester))
        return _SESSIONS.validate_json(body)

    async def get(self, id: str, requester: str = "") -> Session:
        """Return a session of one's own."""
        body = await self._transport.send("GET", f"/v1/sessions/{id}", headers=self._headers(requester))
        return Session.model_validate_json(body)

    async def close(self, id: str, requester: str = "") -> Session:
        """End a session of one's own, with whatever runs in it."""
        body = await self._transport.send("DELETE", f"/v1/sessions/{id}", headers=self._headers(requester))
        return Session.model_validate_json(body)

    async def execute(self, id: str, code: str, purpose: str = "") -> AsyncGenerator[OutputLine, None]:
        """Run code in a session and yield what it says, live once it is approved; last its status."""
        body = ExecuteRequest(code=Untrusted(code), purpose=Untrusted(purpose)).model_dump_json(
            exclude_defaults=True
        )
        async with contextlib.aclosing(
            self._output_lines("POST", f"/v1/sessions/{id}/execute", body)
        ) as lines:
            async for line in lines:
                yield line

    async def install(
        self, id: str, *packages: Package, builds: Iterable[str] = ()
    ) -> AsyncGenerator[OutputLine, None]:
        """Install packages in a session, and yield what is said meanwhile; last its status.

        `builds` names those that may run code of their own meanwhile.
        """
        wanted = InstallPackagesRequest(packages=packages, builds=tuple(Untrusted(name) for name in builds))
        body = wanted.model_dump_json()
        async with contextlib.aclosing(
            self._output_lines("POST", f"/v1/sessions/{id}/packages", body)
        ) as lines:
            async for line in lines:
                yield line

    async def list_files(self, id: str, path: str = "") -> Sequence[dict[str, Any]]:
        """Return the entries of a folder below `/workspace`. Names are the guest's own."""
        found = json.loads(await self._call("GET", f"/v1/sessions/{id}/files", {"path": path}))
        return tuple(found)

    async def read_file(self, id: str, path: str) -> bytes:
        """Return the bytes of a file."""
        return await self._call("GET", f"/v1/sessions/{id}/files/{quote(path)}", {})

    async def write_file(self, id: str, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file."""
        asked = {"executable": str(executable).lower()}
        await self._call("PUT", f"/v1/sessions/{id}/files/{quote(path)}", asked, content)

    async def remove_file(self, id: str, path: str) -> None:
        """Remove a file."""
        await self._call("DELETE", f"/v1/sessions/{id}/files/{quote(path)}", {})

    async def _call(self, method: str, path: str, params: dict[str, str], content: bytes = b"") -> bytes:
        """Make a call in a session, wait for its approval, and return its answer."""
        options: dict[str, Any] = {
            "headers": self._headers(),
            "timeout": DEADLINE_SECONDS + 2 * WITHIN,
        }
        asked = {**params, "within": str(WITHIN)}
        answer = await self._transport.request(method, path, params=asked, content=content or None, **options)
        while answer.status_code == 202:
            where = PendingCall.model_validate_json(answer.content).location
            answer = await self._transport.request("GET", where, params={"within": str(WITHIN)}, **options)
        return answer.content

    async def _output_lines(self, method: str, path: str, body: str) -> AsyncGenerator[OutputLine, None]:
        content: str | None = body
        while path:
            headers = {**self._headers(), **({"content-type": "application/json"} if content else {})}
            request = self._transport.build_request(
                method, path, params={"within": WITHIN}, content=content, headers=headers
            )
            async with contextlib.aclosing(self._transport.stream_lines(request)) as lines:
                path = ""
                async for line in lines:
                    fields = json.loads(line)
                    if "location" in fields:
                        method, path, content = "GET", fields["location"], None
                    else:
                        yield OutputLine.model_validate(fields)

    def _headers(self, requester: str = "") -> dict[str, str]:
        name = requester or self._requester.text
        return {"pratique-requester": quote(name)} if name else {}
