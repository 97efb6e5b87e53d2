"""Docker's API with a deadline on every call."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, NotFound

from engine.sandbox.api.errors import ImageMissing, SandboxUnavailable
from engine.sandbox.drivers.docker.endpoint import HINT, EndpointError, endpoint, ssh_command
from engine.sandbox.drivers.docker.transport_ssh import SshTunnel
from engine.sandbox.drivers.docker.transport_tls import plain_socket

START_DOCKER = "sudo systemctl start docker   (or, without systemd: sudo dockerd &)"
_ANY_VERSION = "1.41"
"""For the request of the version: the client requires one although Docker does not."""
_READ_LIMIT = 256 * 1024


class DockerUnreachable(SandboxUnavailable):
    """Docker did not answer, or not in time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, START_DOCKER)


class DockerClient:
    """The one Docker engine that sandboxes run on."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._client: docker.APIClient | None = None
        self._tunnel: SshTunnel | None = None

    async def connect(self) -> None:
        """Connect to the configured Docker engine. Raises DockerUnreachable."""
        call = partial(_connect, self.deadline, self._options())
        self._client = await self._bounded(call, self.deadline)

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.to_thread(client.close)
        tunnel, self._tunnel = self._tunnel, None
        if tunnel is not None:
            await tunnel.close()

    def _options(self) -> dict[str, Any]:
        try:
            target = endpoint()
            if not target.ssh:
                return target.options()
            self._tunnel = self._tunnel or SshTunnel(ssh_command(target.host, self.deadline))
        except (EndpointError, DockerException) as error:
            raise DockerUnreachable(f"{error}: {HINT}") from None
        return {"base_url": self._tunnel.url}

    async def call(self, method: str, *args: Any, deadline: float | None = None, **options: Any) -> Any:
        """Call one method of Docker's low-level client.

        Raises DockerUnreachable if Docker does not answer in time, `docker.errors.APIError` if it refuses.
        """
        if self._client is None:
            await self.connect()
        call = partial(getattr(self._client, method), *args, **options)
        return await self._bounded(call, deadline or self.deadline)

    async def image_digest_of(self, image: str) -> str:
        """Return an image's digest. Raises SandboxUnavailable."""
        try:
            return str((await self.call("inspect_image", image))["Id"])
        except (APIError, DockerUnreachable) as error:
            raise unavailable(error, image) from error

    async def first_available(self, images: Sequence[str]) -> str:
        """Return the first of the images that Docker has. Raises SandboxUnavailable."""
        for image in images:
            try:
                await self.call("inspect_image", image)
            except APIError:
                continue
            except DockerUnreachable as error:
                raise unavailable(error) from error
            return image
        raise ImageMissing(f"Docker has no image {images[0]}", "pratique image build")

    async def attach(self, container: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a container's standard streams, before it starts."""
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        return await _open_stream(await self.call("attach_socket", container, params=streams))

    async def execute(
        self, container: str, command: Sequence[str], user: int = 1000
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Start another command in a container, as the guest's user unless told, and connect to it."""
        made = await self.call("exec_create", container, list(command), stdin=True, user=f"{user}:1000")
        return await _open_stream(await self.call("exec_start", made["Id"], socket=True))

    async def listen(
        self, filters: dict[str, list[str]]
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to Docker's event stream: lines of JSON within HTTP's chunk framing."""
        response = await self.call("events", filters=filters)
        client: Any = self._client
        if client is None:
            raise DockerUnreachable("the connection to Docker is closed")
        return await _open_stream(client._get_raw_response_socket(response._response))  # noqa: SLF001

    async def _bounded(self, call: Callable[[], Any], seconds: float) -> Any:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(call)
        except APIError:
            raise
        except (TimeoutError, requests.RequestException, DockerException, OSError) as error:
            reason = await self._tunnel.error_message() if self._tunnel else ""
            raise DockerUnreachable(f"Docker did not answer: {reason or _first_line(error)}") from error


async def _open_stream(raw: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Take a stream over from the client, which would keep it open."""
    connection = getattr(raw, "_sock", raw)
    if isinstance(connection, ssl.SSLSocket):
        plain = plain_socket(connection, partial(_release, raw))
        return await asyncio.open_unix_connection(sock=plain, limit=_READ_LIMIT)
    own = socket.socket(fileno=os.dup(raw.fileno()))
    _release(raw)
    own.setblocking(False)
    if own.family == socket.AF_UNIX:
        return await asyncio.open_unix_connection(sock=own, limit=_READ_LIMIT)
    return await asyncio.open_connection(sock=own, limit=_READ_LIMIT)


def _release(raw: Any) -> None:
    """Close the client's own ends of an attached socket; its public `close` keeps them open."""
    connection = getattr(raw, "_sock", raw)
    raw._response.close()  # noqa: SLF001
    raw.close()
    connection.close()


def _connect(deadline: float, target: dict[str, Any]) -> docker.APIClient:
    options: dict[str, Any] = {"timeout": max(1, int(deadline)), **target}
    with contextlib.closing(docker.APIClient(version=_ANY_VERSION, **options)) as probe:
        version = probe.version(api_version=False)["ApiVersion"]
    return docker.APIClient(version=version, **options)


def _first_line(error: BaseException) -> str:
    message = str(getattr(error, "explanation", "") or error) or type(error).__name__
    return message.splitlines()[0][:300]


@contextlib.contextmanager
def translated(image: str = "") -> Iterator[None]:
    """Turn errors of Docker into SandboxUnavailable."""
    try:
        yield
    except (APIError, OSError) as error:
        raise unavailable(error, image) from error


def unavailable(error: Exception, image: str = "") -> SandboxUnavailable:
    """Return the error to raise for one of Docker: what is wrong, and what to type next."""
    if isinstance(error, SandboxUnavailable):
        return error
    message = _first_line(error)
    if isinstance(error, NotFound) and image:
        return ImageMissing(f"Docker has no image {image}", "pratique image build")
    if "nknown runtime" in message or "runtime name" in message:
        return SandboxUnavailable(f"Docker has no gVisor runtime: {message}", "make run   (it sets runsc up)")
    return SandboxUnavailable(f"Docker refused: {message}", "pratique doctor")
