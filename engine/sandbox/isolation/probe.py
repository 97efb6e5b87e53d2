"""Whether sandboxes are isolated: asked inside a real one, never of Docker. Judged by a pure function."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Any

from docker.errors import APIError

from engine.common.text import Untrusted
from engine.models import IsolationProof, Language, Limits, Stream
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.container import remove
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable, unavailable
from engine.sandbox.drivers.docker.endpoint import EndpointError, endpoint
from engine.sandbox.guest_protocol.framing import frames

_LIMITS = Limits(memory_mb=256, cpus=1, seconds=30, disk_mb=4, processes=16)
_SECONDS = 30.0
_GVISOR = "Starting gVisor"


def judge(said: str, host_kernel: str, runtime: str) -> IsolationProof:
    """Read what `uname -r; dmesg` said inside a sandbox. Only gVisor's own kernel log is a proof."""
    kernel, _, log = said.partition("\n")
    kernel = kernel.strip()
    first = log.strip().partition("\n")[0][:200]
    isolated = bool(kernel) and kernel != host_kernel and _GVISOR in first
    detail = first if isolated else f"no gVisor kernel log inside the sandbox: {first or 'it is empty'}"
    return IsolationProof(
        isolated=isolated, runtime=runtime, kernel=Untrusted(kernel), detail=Untrusted(detail)
    )


async def probe(maker: ContainerFactory, image: str) -> IsolationProof:
    """Start a sandbox like any other, read its kernel's log, and judge. Raises SandboxUnavailable."""
    try:
        said = await _run_probe(maker, image)
    except (APIError, DockerUnreachable, OSError, TimeoutError) as error:
        raise unavailable(error, image) from error
    proof = judge(said, os.uname().release, maker.runtime)
    return proof.model_copy(update={"version": await _version(maker)})


async def _run_probe(maker: ContainerFactory, image: str) -> str:
    daemon = maker.daemon
    facts = await daemon.call("inspect_image", image)
    host = container_spec.host_config(maker.runtime, Language.SHELL, _LIMITS, float(os.cpu_count() or 1))
    body = container_spec.container(facts, maker.owner.labels(image), host)
    body |= {"Entrypoint": ["/bin/sh", "-c", "uname -r; dmesg"], "Cmd": []}
    made = await daemon.call("create_container_from_config", body)
    try:
        reader, writer = await daemon.attach(made["Id"])
        await daemon.call("start", made["Id"])
        try:
            async with asyncio.timeout(_SECONDS):
                return await _read_out(reader)
        finally:
            writer.transport.abort()
    finally:
        await asyncio.shield(remove(daemon, made["Id"]))


async def _read_out(reader: asyncio.StreamReader) -> str:
    said = b""
    async for stream, data in frames(reader):
        said += data if stream is Stream.STDOUT else b""
        if len(said) > 64 * 1024:
            break
    return said.decode("utf-8", "replace")


async def _version(maker: ContainerFactory) -> str:
    """Return the runtime's own version where it can be asked on this host.

    A path that a Docker elsewhere names is another program here, if any.
    """
    with contextlib.suppress(APIError, DockerUnreachable, OSError, TimeoutError, KeyError, EndpointError):
        if not endpoint().local:
            return ""
        info: dict[str, Any] = await maker.daemon.call("info")
        path = info["Runtimes"][maker.runtime]["path"]
        process = await asyncio.create_subprocess_exec(
            path, "--version", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(5):
            said, _ = await process.communicate()
        return said.decode("ascii", "replace").partition("\n")[0].removeprefix("runsc version ")[:100]
    return ""
