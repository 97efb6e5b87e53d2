"""Install gVisor's runtime, add it to Docker's configuration and load it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import requests
from docker import DockerClient
from docker.errors import DockerException

from engine.setup import daemon_json
from engine.setup.change import Change, Confirm, Report, apply_change
from engine.setup.machine import Machine, SetupError
from engine.setup.runsc import NEWEST_SUITE, RUNTIME, from_gvisor_release, from_newest_suite, from_own_suite

_RELOAD_SECONDS = 15

RunscSource = Callable[[Machine, Confirm, Report], None]


def ensure(docker: DockerClient, machine: Machine, ask: Confirm, say: Report) -> None:
    """Install the runtime if Docker does not have it. Raises SetupError."""
    if has_runsc(docker):
        return
    binary = shutil.which(RUNTIME) or _install(machine, ask, say)
    daemon_json.add_runtime(RUNTIME, binary, machine, ask)
    _reload(machine, ask)
    _wait(docker)


def has_runsc(docker: DockerClient) -> bool:
    """Return whether Docker has the runtime. Raises SetupError if Docker does not respond."""
    try:
        return RUNTIME in docker.info().get("Runtimes", {})
    except (DockerException, requests.RequestException) as error:
        raise SetupError(f"Docker failed: {error}", hint="Type: pratique doctor") from None


def runsc_sources(machine: Machine) -> tuple[RunscSource, ...]:
    """Return where to install runsc from on this machine, best first."""
    if machine.distribution != "debian" or not machine.apt:
        return (from_gvisor_release,)
    if machine.release >= NEWEST_SUITE[1]:
        return (from_own_suite, from_gvisor_release)
    return (from_newest_suite, from_own_suite, from_gvisor_release)


def _install(machine: Machine, ask: Confirm, say: Report) -> str:
    reasons: list[SetupError] = []
    for source in runsc_sources(machine):
        try:
            source(machine, ask, say)
        except SetupError as error:
            reasons.append(error)
        if binary := shutil.which(RUNTIME):
            return binary
    titles = "; ".join(reason.title for reason in reasons)
    raise SetupError(
        f"could not install {RUNTIME}: {titles}", hint=reasons[0].hint if reasons else "Install gVisor"
    )


def _reload(machine: Machine, ask: Confirm) -> None:
    pid = Path("/var/run/docker.pid")
    if machine.systemd:
        apply_change(
            Change("reload Docker's configuration", (("systemctl", "reload", "docker"),)), machine, ask
        )
    elif pid.exists():
        signal = ("sh", "-c", f"kill -HUP {int(pid.read_text())}")
        apply_change(Change("reload Docker's configuration", (signal,)), machine, ask)


def _wait(docker: DockerClient) -> None:
    deadline = time.monotonic() + _RELOAD_SECONDS
    while not has_runsc(docker):
        if time.monotonic() > deadline:
            raise SetupError("Docker has not loaded runsc", hint="Type: sudo systemctl restart docker")
        time.sleep(0.2)
