"""The runtime of gVisor: found in Docker, or installed, added to its configuration and loaded."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import requests
from docker import DockerClient
from docker.errors import DockerException

from engine.setup import daemon_json
from engine.setup.change import Ask, Change, Say, make
from engine.setup.machine import Machine, SetupError
from engine.setup.runsc import NEWEST_SUITE, RUNTIME, from_makers, from_newest_suite, from_own_suite

_RELOAD_SECONDS = 15

Way = Callable[[Machine, Ask, Say], None]


def ensure(docker: DockerClient, machine: Machine, ask: Ask, say: Say) -> None:
    """Give Docker the runtime, where it has none of that name. Raises SetupError."""
    if known(docker):
        return
    binary = shutil.which(RUNTIME) or _install(machine, ask, say)
    daemon_json.add_runtime(RUNTIME, binary, machine, ask)
    _reload(machine, ask)
    _wait(docker)


def known(docker: DockerClient) -> bool:
    """Say whether Docker has the runtime. Raises SetupError where it does not answer."""
    try:
        return RUNTIME in docker.info().get("Runtimes", {})
    except (DockerException, requests.RequestException) as error:
        raise SetupError(f"Docker failed: {error}", hint="Type: pratique doctor") from None


def ways(machine: Machine) -> tuple[Way, ...]:
    """Return the ways to get runsc here, the best first."""
    if machine.distribution != "debian" or not machine.apt:
        return (from_makers,)
    if machine.release >= NEWEST_SUITE[1]:
        return (from_own_suite, from_makers)
    return (from_newest_suite, from_own_suite, from_makers)


def _install(machine: Machine, ask: Ask, say: Say) -> str:
    reasons: list[SetupError] = []
    for way in ways(machine):
        try:
            way(machine, ask, say)
        except SetupError as error:
            reasons.append(error)
        if binary := shutil.which(RUNTIME):
            return binary
    said = "; ".join(reason.title for reason in reasons)
    raise SetupError(
        f"no way to get {RUNTIME}: {said}", hint=reasons[0].hint if reasons else "Install gVisor"
    )


def _reload(machine: Machine, ask: Ask) -> None:
    pid = Path("/var/run/docker.pid")
    if machine.systemd:
        make(Change("reload Docker's configuration", (("systemctl", "reload", "docker"),)), machine, ask)
    elif pid.exists():
        signal = ("sh", "-c", f"kill -HUP {int(pid.read_text())}")
        make(Change("reload Docker's configuration", (signal,)), machine, ask)


def _wait(docker: DockerClient) -> None:
    deadline = time.monotonic() + _RELOAD_SECONDS
    while not known(docker):
        if time.monotonic() > deadline:
            raise SetupError("Docker does not know runsc yet", hint="Type: sudo systemctl restart docker")
        time.sleep(0.2)
