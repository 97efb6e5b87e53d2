"""Set up the machine (Docker, gVisor's runtime, the images), and check it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from engine.common.errors import Problem
from engine.images import Progress, Watch
from engine.models import Check
from engine.setup import docker_engine, gvisor, sandbox_images
from engine.setup.change import Confirm, Report
from engine.setup.doctor import check_row, failed_row, run_checks
from engine.setup.machine import Machine, SetupError, detect_machine

__all__ = ["Confirm", "Machine", "Report", "SetupError", "detect_machine", "run_checks", "setup"]

BUILD_SECONDS = 600
"""How long Docker may send nothing during a build."""


def quiet(progress: Progress) -> None:
    """Ignore the progress of a build."""


def setup(ask: Confirm, say: Report, watch: Watch = quiet) -> tuple[Check, ...]:
    """Set up what is missing and return one row per step; stop at the first step that fails.

    `confirm` is called before each change to the machine, `watch` with the progress of builds.
    """
    return tuple(_steps(detect_machine(), ask, say, watch))


def _steps(machine: Machine, ask: Confirm, say: Report, watch: Watch) -> Iterator[Check]:
    name = "docker"
    try:
        docker_engine.ensure(machine, ask, say)
        with contextlib.closing(docker_engine.connect(BUILD_SECONDS)) as docker:
            yield check_row("docker", "Docker Engine is running")
            name = "gvisor"
            gvisor.ensure(docker, machine, ask, say)
            yield check_row("gvisor", "runtime runsc is installed")
            name = "images"
            sandbox_images.ensure(docker, machine, ask, watch)
            yield check_row("images", "all are up to date")
    except Problem as problem:
        yield failed_row(name, problem)
