"""Tests isolation inside a real Pod: nothing in the API tells which kernel or network it has."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.common.text import Untrusted
from engine.models import IsolationProof, Language, Limits, Stream
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.api.errors import ImageMissing, SandboxUnavailable
from engine.sandbox.drivers.kubernetes.pod import SandboxPod
from engine.sandbox.drivers.kubernetes.pod_factory import PodFactory
from engine.sandbox.guest_protocol.framing import frames
from engine.sandbox.isolation.probe import judge

_LIMITS = Limits(memory_mb=256, cpus=1, seconds=30, disk_mb=4, processes=16)
_SECONDS = 30.0
_MOST_BYTES = 64 * 1024
_LOOK = "cat /proc/net/dev; echo; uname -r; dmesg"
_LOOPBACK = "lo"


async def probe(factory: PodFactory, images: Sequence[str]) -> IsolationProof:
    """Start a Pod like any other, look at its kernel and network, and judge. Raises SandboxUnavailable."""
    digest, language = _first(factory, images)
    pod = await factory.create(SandboxSpec(digest, language, _LIMITS))
    try:
        output = await _look(pod)
    finally:
        await asyncio.shield(factory.destroy(pod))
    return judge_pod(output, factory.settings.runtime_class)


def judge_pod(output: str, runtime: str) -> IsolationProof:
    """Judge what a Pod saw: gVisor's kernel log, and no network interface but loopback. Pure."""
    network, _, kernel = output.partition("\n\n")
    proof = judge(kernel, "", runtime)
    interfaces = [line.partition(":")[0].strip() for line in network.splitlines() if ":" in line]
    if not proof.isolated or interfaces == [_LOOPBACK]:
        return proof
    detail = f"the sandbox has the network interfaces {', '.join(interfaces)[:100] or 'that cannot be read'}"
    hint = 'set network = "none" in the [runsc_config] of the nodes'
    return proof.refuted(Untrusted(f"{detail}: {hint}"))


def _first(factory: PodFactory, images: Sequence[str]) -> tuple[str, Language]:
    for image in images:
        with contextlib.suppress(ImageMissing):
            return factory.images.digest(image), Language.SHELL
    raise ImageMissing(
        "sandbox.kubernetes.images names no image", "docs/kubernetes.md says how to push images"
    )


async def _look(pod: SandboxPod) -> str:
    output = b""
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await pod.start_process(["/bin/sh", "-c", _LOOK])
            try:
                async with contextlib.aclosing(frames(reader)) as guest:
                    async for stream, data in guest:
                        output += data if stream is Stream.STDOUT else b""
                        if len(output) > _MOST_BYTES:
                            break
            finally:
                writer.transport.abort()
    except TimeoutError:
        raise SandboxUnavailable("a sandbox does not answer in time", "pratique doctor") from None
    return output.decode("utf-8", "replace")
