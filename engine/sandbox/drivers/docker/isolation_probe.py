"""Tests isolation inside a real container; what Docker says about it proves nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Any

from docker.errors import APIError

from engine.models import IsolationProof, Language, Limits, Stream
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.container import remove
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable, translated
from engine.sandbox.drivers.docker.endpoint import EndpointError, endpoint
from engine.sandbox.guest_protocol.framing import frames
from engine.sandbox.isolation.probe import judge

_LIMITS = Limits(memory_mb=256, cpus=1, seconds=30, disk_mb=4, processes=16)
_SECONDS = 30.0


async def probe(factory: ContainerFactory, image: str) -> IsolationProof:
    """Start a container like any other, read its kernel's log, and judge. Raises SandboxUnavailable."""
    with translated(image):
        output = await _run_probe(factory, image)
    proof = judge(output, os.uname().release, factory.runtime)
    return proof.with_version(await _version(factory))


async def _run_probe(factory: ContainerFactory, image: str) -> str:
    client = factory.client
    found = await client.call("inspect_image", image)
    spec = SandboxSpec(found["Id"], Language.SHELL, _LIMITS)
    host = container_spec.host_config(factory.runtime, Language.SHELL, _LIMITS, float(os.cpu_count() or 1))
    body = container_spec.container_config(found, factory.owner.labels(image), host, spec)
    body |= {"Entrypoint": ["/bin/sh", "-c", "uname -r; dmesg"], "Cmd": [], "User": "1000:1000"}
    made = await client.call("create_container_from_config", body)
    try:
        reader, writer = await client.attach(made["Id"])
        await client.call("start", made["Id"])
        try:
            async with asyncio.timeout(_SECONDS):
                return await _read_out(reader)
        finally:
            writer.transport.abort()
    finally:
        await asyncio.shield(remove(client, made["Id"]))


async def _read_out(reader: asyncio.StreamReader) -> str:
    output = b""
    async for stream, data in frames(reader):
        output += data if stream is Stream.STDOUT else b""
        if len(output) > 64 * 1024:
            break
    return output.decode("utf-8", "replace")


async def _version(factory: ContainerFactory) -> str:
    """Return the runtime's own version where it can be asked on this host.

    A path that a Docker elsewhere names is another program here, if any.
    """
    with contextlib.suppress(APIError, DockerUnreachable, OSError, TimeoutError, KeyError, EndpointError):
        if not endpoint().local:
            return ""
        info: dict[str, Any] = await factory.client.call("info")
        path = info["Runtimes"][factory.runtime]["path"]
        process = await asyncio.create_subprocess_exec(
            path, "--version", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(5):
            output, _ = await process.communicate()
        return output.decode("ascii", "replace").partition("\n")[0].removeprefix("runsc version ")[:100]
    return ""
