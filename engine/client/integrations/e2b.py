"""E2B's code interpreter on your own machine: `python -m pratique.integrations.e2b` answers its SDK.

A sandbox is a session, and each `run_code`, upload and download a submission of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import json
import os
import re
import secrets
import sys
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from engine.client.environment import client_from_environment
from engine.client.integrations.e2b_shapes import HOME, as_the_sdk_reads, below
from engine.common.errors import Problem
from engine.models import Language

KEY = "PRATIQUE_E2B_KEY"
REQUESTER = "e2b"
MOST_BYTES = 16 << 20
SANDBOX = re.compile(r"/(?:v\d+/)?sandboxes(?:/(ses-[0-9a-f]+))?")


class E2BHandler(BaseHTTPRequestHandler):
    """Answers the requests of the SDK. The key opens sandboxes; each has a token of its own for the rest."""

    key = ""
    tokens: dict[str, str] = {}  # noqa: RUF012  shared by all requests on purpose

    def do_POST(self) -> None:
        """Create a sandbox, run code, write a file."""
        self._answer(self._post)

    def do_GET(self) -> None:
        """Read a file, or say that a sandbox is there."""
        self._answer(self._get)

    def do_DELETE(self) -> None:
        """Close a sandbox."""
        self._answer(self._delete)

    async def _post(self, path: str, query: dict[str, list[str]]) -> None:
        body = self.rfile.read(min(int(self.headers.get("content-length") or 0), MOST_BYTES))
        if SANDBOX.fullmatch(path):
            self._require(self.headers.get("x-api-key", ""), self.key)
            await self._create()
        elif path == "/execute":
            await self._execute(self._sandbox(), json.loads(body))
        elif path == "/files":
            await self._write(self._sandbox(), query["path"][0], body)
        else:
            raise Problem(
                501, f"{path} is not part of what Pratique answers", hint="docs/integrations/e2b.md"
            )

    async def _get(self, path: str, query: dict[str, list[str]]) -> None:
        id = self._sandbox()
        if path == "/health":
            self._send(204, b"")
            return
        async with client_from_environment(REQUESTER) as client:
            self._send(200, await client.sessions.read_file(id, below(query["path"][0])))

    async def _delete(self, path: str, query: dict[str, list[str]]) -> None:
        found = SANDBOX.fullmatch(path)
        self._require(self.headers.get("x-api-key", ""), self.key)
        async with client_from_environment(REQUESTER) as client:
            await client.sessions.close(found[1] if found else "")
        self._send(204, b"")

    async def _create(self) -> None:
        async with client_from_environment(REQUESTER) as client:
            id = (await client.sessions.create(Language.PYTHON)).id
        token = self.tokens[id] = secrets.token_urlsafe(32)
        about = {"sandboxID": id, "templateID": "code-interpreter-v1", "clientID": "pratique"}
        self._send(201, json.dumps({**about, "envdVersion": "0.1.5", "envdAccessToken": token}).encode())

    async def _execute(self, id: str, asked: dict[str, Any]) -> None:
        self.send_response(200)
        self.end_headers()
        async with client_from_environment(REQUESTER) as client:
            async for said in as_the_sdk_reads(client.sessions.execute(id, asked["code"], "run_code")):
                self.wfile.write(json.dumps(said).encode() + b"\n")

    async def _write(self, id: str, path: str, body: bytes) -> None:
        kind = self.headers.get("content-type", "")
        if kind.startswith("multipart/"):
            message = message_from_bytes(b"content-type: " + kind.encode() + b"\r\n\r\n" + body)
            body = bytes(message.get_payload()[0].get_payload(decode=True))  # type: ignore[union-attr, index]
        async with client_from_environment(REQUESTER) as client:
            await client.sessions.write_file(id, below(path), body)
        name = below(path)
        self._send(200, json.dumps([{"name": name, "type": "file", "path": HOME + name}]).encode())

    def _sandbox(self) -> str:
        """Return the sandbox of a request, which knows its token."""
        id = self.headers.get("e2b-sandbox-id", "")
        self._require(self.headers.get("x-access-token", ""), self.tokens.get(id, ""))
        return id

    def _require(self, given: str, expected: str) -> None:
        if not expected or not hmac.compare_digest(given.encode(), expected.encode()):
            raise Problem(401, "the key or the sandbox is not known here")

    def _answer(self, work: Any) -> None:
        where = urlsplit(self.path)
        try:
            asyncio.run(work(where.path, parse_qs(where.query)))
        except Problem as problem:
            self._send(problem.status, json.dumps({"code": problem.status, "message": str(problem)}).encode())
        except (KeyError, ValueError):
            self._send(400, b'{"code": 400, "message": "this request is not understood"}')

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base names it
        """Say nothing: the history has it all."""


def main() -> None:
    """Serve on loopback; the key is that of the environment, or a new one, which is printed."""
    options = argparse.ArgumentParser(description="E2B's code interpreter, answered by Pratique")
    options.add_argument("--port", type=int, default=8770)
    E2BHandler.key = os.environ.get(KEY) or f"e2b_{secrets.token_hex(20)}"
    with ThreadingHTTPServer(("127.0.0.1", options.parse_args().port), E2BHandler) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        sys.stdout.write(
            f"export E2B_API_URL={address} E2B_SANDBOX_URL={address} E2B_API_KEY={E2BHandler.key}\n"
        )
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
