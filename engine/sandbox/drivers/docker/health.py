"""Rows of Health about Docker itself."""

from __future__ import annotations

from typing import Any

from docker.errors import APIError

from engine.models import Check
from engine.sandbox.drivers.docker.docker_client import START_DOCKER, DockerClient, DockerUnreachable
from engine.sandbox.isolation.health import SET_UP, row

_CHECK_SECONDS = 2.5


async def docker_checks(client: DockerClient, runtime: str) -> tuple[Check, ...]:
    """Return whether Docker answers, and whether it has the runtime."""
    try:
        info: dict[str, Any] = await client.call("info", deadline=_CHECK_SECONDS)
    except (DockerUnreachable, APIError) as error:
        return (row("docker", False, str(error), START_DOCKER),)
    has = runtime in info.get("Runtimes", {})
    version = f"Docker {info.get('ServerVersion', '?')}, cgroup version {info.get('CgroupVersion', '1')}"
    detail = f"{runtime} is set up" if has else f"Docker has no runtime {runtime}"
    return (row("docker", True, version, ""), row("runtime", has, detail, SET_UP))
