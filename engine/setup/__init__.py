"""Setting up the machine: Docker, gVisor's runtime and the images; and looking whether all is well."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from engine.common.errors import Problem
from engine.images import Progress, Watch
from engine.models import Check
from engine.setup import docker_engine, gvisor, sandbox_images
from engine.setup.change import Ask, Say
from engine.setup.checks import doctor, failed, row
from engine.setup.machine import Machine, SetupError, look

__all__ = ["Ask", "Machine", "Say", "SetupError", "doctor", "look", "setup"]

BUILD_SECONDS = 600
"""How long Docker may be silent while it builds."""


def quiet(progress: Progress) -> None:
    """Watch a build without a word."""


def setup(ask: Ask, say: Say, watch: Watch = quiet) -> tuple[Check, ...]:
    """Set up what is missing, and return a row for each step; a step that fails ends the set-up.

    `ask` is asked before each change to the machine; `watch` is told how far builds are.
    """
    return tuple(_steps(look(), ask, say, watch))


def _steps(machine: Machine, ask: Ask, say: Say, watch: Watch) -> Iterator[Check]:
    name = "docker"
    try:
        docker_engine.ensure(machine, ask, say)
        with contextlib.closing(docker_engine.connect(BUILD_SECONDS)) as docker:
            yield row("docker", "an engine answers")
            name = "gvisor"
            gvisor.ensure(docker, machine, ask, say)
            yield row("gvisor", "Docker has the runtime runsc")
            name = "images"
            sandbox_images.ensure(docker, machine, ask, watch)
            yield row("images", "all current")
    except Problem as problem:
        yield failed(name, problem)
