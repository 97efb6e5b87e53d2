"""The HTTP transport of the client: requests, streams, and errors as `Problem`.

httpx is imported with the first transport: it takes longer to load than all the rest of the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import ssl
import sys
from collections.abc import AsyncGenerator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from engine.common.errors import Problem
from engine.common.headers import AGENT
from engine.common.output_frames import FRAMES, FrameDecoder
from engine.common.text import visible
from engine.models import OutputChunk
from engine.models.api import ProblemBody

if TYPE_CHECKING:
    import httpx

DEADLINE_SECONDS = 30.0
NDJSON = "application/x-ndjson"
BROKEN_OFF = 502
"""The status of a stream that ended in the middle."""
INTERRUPTED = b'{"interrupted":'
ASK_AGAIN = "Ask for the rest."
RESUMES = 50
"""How often a stream that broke off is taken up again before it is given up."""
RESUME_SECONDS = 0.2
LONGEST_PATH = 8192
ASTRAY = re.compile(r"[\x00-\x20\x7f?#\\]|(?:^|/)\.{1,2}(?:/|$)|/$")

_M = TypeVar("_M", bound=BaseModel)


class Transport:
    """HTTP over a Unix socket, or over TCP with a token."""

    def __init__(
        self, where: Path | str, token: str = "", verify: ssl.SSLContext | bool = True, agent: str = ""
    ) -> None:
        _load_httpx()
        import httpx  # noqa: PLC0415

        self._errors = httpx.HTTPError
        self._endless = httpx.Timeout(DEADLINE_SECONDS, read=None)
        local = isinstance(where, Path)
        proof = {"authorization": f"Bearer {token}"} if token else {AGENT: agent} if agent else {}
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(where), verify=False) if local else None,
            base_url="http://engine" if local else str(where),
            headers=proof,
            timeout=DEADLINE_SECONDS,
            verify=False if local else verify,
            trust_env=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def get(
        self, path: str, params: dict[str, Any] | None = None, timeout: float = DEADLINE_SECONDS
    ) -> bytes:
        """Return the response body of a GET request."""
        return await self.send("GET", path, params=params, timeout=timeout)

    async def post(
        self,
        path: str,
        model: BaseModel | None = None,
        timeout: float = DEADLINE_SECONDS,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        """Return the response body of a POST request."""
        content = model.model_dump_json() if model else None
        headers = {"content-type": "application/json", **(headers or {})}
        return await self.send("POST", path, content=content, headers=headers, timeout=timeout)

    async def send(self, method: str, path: str, **options: Any) -> bytes:
        """Return the response body of a request."""
        return (await self.request(method, path, **options)).content

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return a response. Raises Problem if it is an error or there is none."""
        check_path(path)
        try:
            response = await self._http.request(method, path, **options)
        except self._errors as error:
            raise problem_of_failure(error) from error
        if response.is_error:
            raise problem_of(response.status_code, response.content)
        return response

    async def lines(
        self, path: str, params: dict[str, Any], model: type[_M], body: BaseModel | None = None
    ) -> AsyncGenerator[_M, None]:
        """Yield the models of a stream of JSON lines."""
        held = b""
        async with contextlib.aclosing(self.stream(path, params, NDJSON, body)) as parts:
            async for part in parts:
                *lines, held = (held + part).split(b"\n")
                for line in lines:
                    yield model.model_validate_json(checked_line(line))

    async def frames(self, path: str, offset: int) -> AsyncGenerator[OutputChunk, None]:
        """Yield the chunks of a stream of output from `offset` on; one that breaks off is taken up again."""
        left, over = RESUMES, False
        while not over:
            frames = FrameDecoder()
            try:
                async with contextlib.aclosing(self.stream(path, {"offset": offset}, FRAMES)) as parts:
                    async for part in parts:
                        for chunk in frames.take(part):
                            offset, left = chunk.offset + len(chunk.data), RESUMES
                            yield chunk
                over = True
            except Problem as problem:
                again = problem.status == BROKEN_OFF or (problem.status == 503 and left < RESUMES)
                left -= 1
                if not (again and left):
                    raise
                await asyncio.sleep(RESUME_SECONDS)

    def build_request(self, method: str, path: str, **options: Any) -> httpx.Request:
        """Return a request for `stream_lines`, which waits for each line as long as it takes."""
        check_path(path)
        return self._http.build_request(method, path, timeout=self._endless, **options)

    async def stream_lines(self, request: httpx.Request) -> AsyncGenerator[str, None]:
        """Yield the lines of a response."""
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.is_error:
                    raise problem_of(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    yield line
            finally:
                await response.aclose()
        except self._errors as error:
            raise problem_of_failure(error) from error

    async def stream(
        self, path: str, params: dict[str, Any], accept: str, body: BaseModel | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yield what is answered, as it comes; a body is posted."""
        check_path(path)
        method, content = ("POST", body.model_dump_json()) if body else ("GET", None)
        headers = {"accept": accept, **({"content-type": "application/json"} if body else {})}
        begun = False
        try:
            async with self._http.stream(
                method, path, params=params, content=content, timeout=self._endless, headers=headers
            ) as response:
                if response.is_error:
                    raise problem_of(response.status_code, await response.aread())
                begun = True
                raw = cast("AsyncGenerator[bytes, None]", response.aiter_raw())
                async with contextlib.aclosing(raw) as parts:
                    async for part in parts:
                        yield part
        except self._errors as error:
            if begun:
                raise Problem(BROKEN_OFF, "the stream broke off", hint=ASK_AGAIN) from error
            raise problem_of_failure(error) from error


def _load_httpx() -> None:
    """Load httpx without its own command line, which would load rich and pygments: most of its time."""
    command_line = "httpx._main"
    if "httpx" in sys.modules:
        return
    sys.modules[command_line] = cast("ModuleType", None)
    try:
        import_module("httpx")
    finally:
        del sys.modules[command_line]


def checked_line(line: bytes) -> bytes:
    """Return a line of a stream. Raises Problem (502) if it is the last of one that the engine ends early."""
    if line.startswith(INTERRUPTED):
        raise Problem(BROKEN_OFF, "the engine ended the stream: it was read too slowly", hint=ASK_AGAIN)
    return line


def check_path(path: str) -> None:
    """Refuse a path that an id or a name within it leads elsewhere: up, into a query, or to the folder above.

    Raises:
        Problem: it is such a path, or one that no URL can have.
    """
    if len(path) > LONGEST_PATH or ASTRAY.search(path):
        raise Problem(404, f"there is nothing at {visible(path)[:200]}", hint="Type: pratique history")


def problem_of_failure(error: httpx.HTTPError) -> Problem:
    """Return what it means that no answer came."""
    import httpx  # noqa: PLC0415

    if isinstance(error, httpx.TimeoutException):
        return Problem(504, "the engine did not answer in time", hint="Type: pratique doctor")
    return Problem(503, "no engine answers", hint="Type: pratique serve")


def problem_of(status: int, body: bytes) -> Problem:
    """Return the problem that an answer is."""
    try:
        answer = ProblemBody.model_validate(json.loads(body))
    except (ValidationError, ValueError):
        return Problem(status, f"the engine answered {status}", hint="Type: pratique doctor")
    return Problem(status, answer.title, hint=answer.hint, correlation_id=answer.correlation_id)
