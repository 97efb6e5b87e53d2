"""The ownership of containers, and leftover runtime processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from engine.sandbox.drivers.docker import ownership
from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.docker_client import DockerClient
from engine.sandbox.drivers.docker.reaper import end_leftovers, end_without_docker


def _labels(**changes: str) -> dict[str, str]:
    return ownership.current("me").labels("image") | {
        f"pratique.{name}": value for name, value in changes.items()
    }


DEAD = "999999999/1"
LATER = int(time.time()) + 86400
"""Labels are made when tests are collected, and young ones would be old where the rest takes an hour."""


@pytest.mark.parametrize(
    ("orphan", "labels"),
    [
        (False, {}),
        (False, {"pratique.created": "0"}),
        (False, _labels()),
        (False, _labels(engine="other")),
        (True, _labels(engine="other", process=DEAD)),
        (True, _labels(process=DEAD)),
        (True, _labels(process="")),
        (True, _labels(process="../../1")),
        (True, _labels(process=f"{os.getpid()}/1")),
        (False, _labels(process=DEAD, machine="elsewhere", created=str(LATER))),
        (True, _labels(process=DEAD, machine="elsewhere", created="1")),
        (True, _labels(process=DEAD, machine="elsewhere", created="yesterday")),
    ],
)
def test_a_container_without_a_running_owner_is_orphaned(orphan: bool, labels: dict[str, str]) -> None:
    """Foreign containers and those of running engines stay; a reused process id is not an owner."""
    assert orphan == ownership.orphaned(labels, ownership.current("me"))


COLLECTED = time.time()
"""When the labels below were created."""


@pytest.mark.parametrize(
    ("left", "labels"),
    [
        (False, _labels()),
        (True, _labels(created="1")),
        (False, _labels(created="1", engine="other")),
        (False, _labels(created="1", process=DEAD)),
        (False, {}),
    ],
)
def test_an_unused_container_of_this_engine_is_leaked(left: bool, labels: dict[str, str]) -> None:
    """Only its own containers, and only after the time that a creation may take."""
    assert left == ownership.leaked(labels, ownership.current("me"), COLLECTED)


def test_on_an_unknown_machine_only_age_decides() -> None:
    """Where process ids cannot be compared, a recent container is not orphaned."""
    me = Ownership("me", "unknown", "1/1")
    assert not ownership.orphaned(_labels(process=DEAD, machine="unknown"), me)


@pytest.mark.parametrize("docker", [True, False], ids=["with-docker", "without-docker"])
def test_runtime_processes_of_removed_containers_are_killed(docker: bool) -> None:
    """Only runtime processes of containers that this engine removed are killed."""
    gone, sleep = "c0ffee" * 10, "import time; time.sleep(60)"
    named = {
        "ours": ["runsc-sandbox", "-c", sleep, gone],
        "foreign": ["runsc-sandbox", "-c", sleep, "beef" * 16],
        "other": ["editor", "-c", sleep, gone],
    }
    running = {name: subprocess.Popen(command, executable=sys.executable) for name, command in named.items()}
    try:
        if docker:
            asyncio.run(end_leftovers(NoContainers(1.0), {gone}))
        else:
            end_without_docker({gone})
        assert -signal.SIGKILL == running["ours"].wait(10)
        assert [None, None] == [running[name].poll() for name in ("foreign", "other")]
    finally:
        for process in running.values():
            process.kill()
            process.wait()


class NoContainers(DockerClient):
    """A Docker without containers."""

    async def call(self, method: str, *args: Any, deadline: float | None = None, **options: Any) -> Any:
        """Return an empty list."""
        return []
