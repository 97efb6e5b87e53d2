"""The sandbox room's rows of Health: each red one says what to type."""

from __future__ import annotations

from typing import Any

from docker.errors import APIError

from engine.common.text import Untrusted
from engine.models import Check, IsolationProof
from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker.docker_client import START_DOCKER, DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.pool import Pool

_SET_UP = "make run   (it sets runsc up)"
_CHECK_SECONDS = 5.0


async def docker_check(daemon: DockerClient, runtime: str) -> tuple[Check, ...]:
    """Ask Docker who it is, and whether it has the runtime."""
    try:
        info: dict[str, Any] = await daemon.call("info", deadline=_CHECK_SECONDS)
    except (DockerUnreachable, APIError) as error:
        return (_row("docker", False, str(error), START_DOCKER),)
    has = runtime in info.get("Runtimes", {})
    version = f"Docker {info.get('ServerVersion', '?')}, cgroup version {info.get('CgroupVersion', '1')}"
    detail = f"{runtime} is set up" if has else f"Docker has no runtime {runtime}"
    return (_row("docker", True, version, ""), _row("runtime", has, detail, _SET_UP))


def proof_check(proof: IsolationProof | None, trouble: SandboxUnavailable | None) -> Check:
    """Say whether a real sandbox proved its isolation."""
    if proof is not None and proof.isolated:
        version = f", {proof.version}" if proof.version else ""
        return _row("isolation", True, f"gVisor, kernel {proof.kernel.text}{version}", "")
    if trouble is not None:
        return _row("isolation", False, str(trouble), trouble.hint)
    return _row("isolation", False, "not proved yet", "pratique doctor")


def not_isolated(proof: IsolationProof) -> SandboxUnavailable:
    """Say that a sandbox is not one."""
    return SandboxUnavailable(f"runtime {proof.runtime} does not isolate: {proof.detail.text}", _SET_UP)


def pool_checks(pool: Pool) -> tuple[Check, ...]:
    """Say how many sandboxes wait for each image. An empty shelf only makes runs start slower."""
    return tuple(
        _row(
            f"pool {image_pool.image}",
            not image_pool.trouble,
            image_pool.trouble or f"{len(image_pool.containers)} of {pool.wanted(image_pool)} ready",
            "pratique image build",
        )
        for image_pool in pool.image_pools
    )


def _row(name: str, ok: bool, detail: str, hint: str) -> Check:
    return Check(name=name, ok=ok, detail=Untrusted(detail), hint="" if ok else hint)
