"""Removes containers that no running engine owns, and runtime processes that outlived their containers."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Set
from pathlib import Path
from typing import Any

from docker.errors import APIError

from engine.sandbox.drivers.docker.container import remove
from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.ownership import leaked, orphaned
from engine.sandbox.drivers.linux.cgroup import Cgroup

_RUNTIME = re.compile(rb"runsc-(sandbox|gofer)|/runsc\b")


async def reap(client: DockerClient, me: Ownership, used: Set[str] = frozenset()) -> tuple[str, ...]:
    """Remove containers that no running engine owns or that this engine leaked; return their ids.

    Those in `used` are never touched. Raises DockerUnreachable.
    """
    gone = [
        listed["Id"]
        for listed in await labelled(client)
        if listed["Id"] not in used and (orphaned(listed["Labels"], me) or leaked(listed["Labels"], me))
    ]
    return tuple([container for container in gone if await resume_and_remove(client, container)])


async def labelled(client: DockerClient) -> list[dict[str, Any]]:
    """List the containers with our label, without inspecting each. Raises DockerUnreachable."""
    listed: list[dict[str, Any]] = await client.call("containers", all=True, filters={"label": "pratique=1"})
    return listed


async def owned(client: DockerClient, engine: str) -> tuple[str, ...]:
    """List the containers of an engine. Raises DockerUnreachable."""
    listed = await labelled(client)
    return tuple(one["Id"] for one in listed if one["Labels"].get("pratique.engine") == engine)


async def resume_and_remove(client: DockerClient, container: str) -> bool:
    """Resume a container without asking Docker, which may never answer for a paused one, then remove it."""
    for pid in _processes_of({container}):
        _resume(pid, container)
    return await remove(client, container)


async def end_leftovers(client: DockerClient, gone: set[str]) -> tuple[int, ...]:
    """Kill runtime processes of containers that this engine removed and Docker no longer knows."""
    with contextlib.suppress(APIError, DockerUnreachable):
        known = {listed["Id"] for listed in await client.call("containers", all=True)}
        return tuple(pid for pid in _processes_of(gone - known) if _kill(pid))
    return ()


def end_without_docker(containers: Set[str]) -> tuple[int, ...]:
    """Resume and kill the runtime processes of containers, of which Docker may know nothing any more."""
    found = _processes_of(containers)
    for pid, container in found.items():
        _resume(pid, container)
    return tuple(pid for pid in found if _kill(pid))


def _resume(pid: int, container: str) -> None:
    if group := Cgroup.of(pid, container):
        group.pause(False)


def _processes_of(containers: Set[str], proc: Path = Path("/proc")) -> dict[int, str]:
    """Return the runtime processes whose command line contains the id of one of the containers, with that."""
    found = {int(folder.name): _named(folder, containers) for folder in proc.glob("[0-9]*")}
    return {pid: container for pid, container in found.items() if container}


def _named(folder: Path, wanted: Set[str]) -> str:
    try:
        words = (folder / "cmdline").read_bytes()
    except OSError:
        return ""
    if not _RUNTIME.search(words):
        return ""
    return next((container for container in wanted if container.encode() in words), "")


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return False
    return True
