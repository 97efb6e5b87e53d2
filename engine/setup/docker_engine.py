"""A Docker Engine that answers: found, or installed, or started."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import requests
from docker import DockerClient
from docker.errors import DockerException

from engine import locations
from engine.common.text import Untrusted, visible
from engine.sandbox.drivers.docker.endpoint import MEND, Endpoint, EndpointError, endpoint
from engine.setup import docker_group
from engine.setup.change import Ask, Change, Say, as_root, installing, last_line, make
from engine.setup.machine import Machine, SetupError

ANSWER_SECONDS = 10
START_SECONDS = 60
_SOCKET = Path("/var/run/docker.sock")


def connect(timeout: int = ANSWER_SECONDS) -> DockerClient:
    """Return a client of the engine that answers. Raises SetupError, which says why none does.

    The engine is the one that `DOCKER_HOST` or Docker's context names, or the local one.
    """
    client: DockerClient | None = None
    try:
        place = endpoint()
        _try_socket(place)
        client = DockerClient(timeout=timeout, **_options(place))
        client.ping()
    except EndpointError as error:
        raise SetupError(str(error), hint=f"Type: {MEND}") from None
    except (DockerException, requests.RequestException, OSError) as error:
        if client is not None:
            client.close()
        raise _why_not(error) from None
    return client


def _options(place: Endpoint) -> dict[str, Any]:
    return {"base_url": place.host, "use_ssh_client": True} if place.ssh else place.options()


def _try_socket(place: Endpoint) -> None:
    """Connect once by hand: the reason that the kernel gives is plainer than what a library makes of it."""
    kind, _, path = (place.host or f"unix://{_SOCKET}").partition("://")
    if kind == "unix":
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(ANSWER_SECONDS)
            probe.connect(path)


def _why_not(error: Exception) -> SetupError:
    if isinstance(error, PermissionError):
        return SetupError(
            f"Docker refuses you: {_SOCKET} is not yours",
            hint='Type: sudo usermod -aG docker "$USER", and log in again',
        )
    if os.environ.get("DOCKER_HOST"):
        return SetupError("no Docker Engine answers at DOCKER_HOST", hint="Type: unset DOCKER_HOST")
    if name := endpoint().context:
        told = visible(Untrusted(name))
        return SetupError(f"no Docker Engine answers in context {told}", hint=f"Type: {MEND}")
    if isinstance(error, TimeoutError | requests.Timeout):
        return SetupError("Docker does not answer in time", hint="Type: sudo systemctl restart docker")
    return SetupError("no Docker Engine answers", hint="Type: pratique setup")


def ensure(machine: Machine, ask: Ask, say: Say) -> None:
    """Install and start a Docker Engine where none answers. Raises SetupError."""
    if os.environ.get("DOCKER_HOST") or _elsewhere():
        return
    if not answers() and shutil.which("dockerd", path=_path()) is None:
        make(install_change(machine), machine, ask)
    if not answers():
        _start(machine, ask, say)
    if not os.access(_SOCKET, os.W_OK):
        docker_group.join(machine, ask)
    connect().close()


def _elsewhere() -> bool:
    """Say whether Docker's context leads to an engine that is not this machine's usual one."""
    try:
        return bool(endpoint().context)
    except EndpointError as error:
        raise SetupError(str(error), hint=f"Type: {MEND}") from None


def install_change(machine: Machine) -> Change:
    """Return the change that installs Docker here. Raises SetupError where there is no known way."""
    if not machine.apt:
        raise SetupError(
            "Docker is missing, and this machine has no apt-get",
            hint="Install Docker Engine as your distribution says, then: pratique setup",
        )
    packages = ["docker.io", "iptables", "ca-certificates"]
    if machine.apparmor and shutil.which("apparmor_parser", path=_path()) is None:
        packages.append("apparmor")
    return installing(f"install Docker ({', '.join(packages)})", packages)


def answers() -> bool:
    """Say whether a Docker Engine answers, be it with a refusal."""
    try:
        connect().close()
    except SetupError as error:
        return "refuses" in error.title
    return True


def _start(machine: Machine, ask: Ask, say: Say) -> None:
    if machine.systemd:
        command = ("systemctl", "enable", "--now", "docker")
        make(Change("start Docker, now and at every boot", (command,)), machine, ask)
        _wait(None, None)
        return
    log = locations.state() / "dockerd.log"
    dockerd = as_root(("dockerd",), machine)
    change = Change(f"start dockerd by hand, for there is no systemd (log: {log})", ())
    make(change, machine, ask)
    with log.open("ab") as output:
        process = subprocess.Popen(
            dockerd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd="/",
            env={**os.environ, "PATH": _path()},
        )
    say("waiting for dockerd")
    _wait(process, log)


def _wait(process: subprocess.Popen[bytes] | None, log: Path | None) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers():
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > deadline:
            said = last_line(log.read_text(errors="replace")) if log else "it does not answer"
            hint = f"Read {log}" if log else "Type: sudo journalctl -u docker"
            raise SetupError(f"dockerd did not start: {said}", hint=hint)
        time.sleep(0.2)


def _path() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin"
