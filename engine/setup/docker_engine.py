"""Find, install or start a Docker Engine."""

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
from engine.sandbox.drivers.docker.endpoint import HINT, Endpoint, EndpointError, endpoint
from engine.setup import docker_group
from engine.setup.change import Change, Confirm, Report, apply_change, as_root, install_packages, last_line
from engine.setup.machine import Machine, SetupError

ANSWER_SECONDS = 10
START_SECONDS = 60
_SOCKET = Path("/var/run/docker.sock")


def connect(timeout: int = ANSWER_SECONDS) -> DockerClient:
    """Return a client of a running Docker Engine. Raises SetupError with the reason if there is none.

    The engine is the one that `DOCKER_HOST` or Docker's context names, or the local one.
    """
    client: DockerClient | None = None
    try:
        place = endpoint()
        _connect_once(place)
        client = DockerClient(timeout=timeout, **_options(place))
        client.ping()
    except EndpointError as error:
        raise SetupError(str(error), hint=f"Type: {HINT}") from None
    except (DockerException, requests.RequestException, OSError) as error:
        if client is not None:
            client.close()
        raise _connection_error(error) from None
    return client


def _options(place: Endpoint) -> dict[str, Any]:
    return {"base_url": place.host, "use_ssh_client": True} if place.ssh else place.options()


def _connect_once(place: Endpoint) -> None:
    """Connect to the socket directly: the kernel's error is clearer than the library's."""
    kind, _, path = (place.host or f"unix://{_SOCKET}").partition("://")
    if kind == "unix":
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(ANSWER_SECONDS)
            probe.connect(path)


def _connection_error(error: Exception) -> SetupError:
    if isinstance(error, PermissionError):
        return SetupError(
            f"permission denied: {_SOCKET}",
            hint='Type: sudo usermod -aG docker "$USER", and log in again',
        )
    if os.environ.get("DOCKER_HOST"):
        return SetupError("no Docker Engine is running at DOCKER_HOST", hint="Type: unset DOCKER_HOST")
    if name := endpoint().context:
        context = visible(Untrusted(name))
        return SetupError(f"no Docker Engine is running in context {context}", hint=f"Type: {HINT}")
    if isinstance(error, TimeoutError | requests.Timeout):
        return SetupError("Docker does not respond in time", hint="Type: sudo systemctl restart docker")
    return SetupError("no Docker Engine is running", hint="Type: pratique setup")


def ensure(machine: Machine, ask: Confirm, say: Report) -> None:
    """Install and start Docker Engine if none is running. Raises SetupError."""
    if os.environ.get("DOCKER_HOST") or _is_remote():
        return
    if not is_running() and shutil.which("dockerd", path=_path()) is None:
        apply_change(docker_install_change(machine), machine, ask)
    if not is_running():
        _start(machine, ask, say)
    if not os.access(_SOCKET, os.W_OK):
        docker_group.join(machine, ask)
    connect().close()


def _is_remote() -> bool:
    """Return whether Docker's context names another engine than the local default."""
    try:
        return bool(endpoint().context)
    except EndpointError as error:
        raise SetupError(str(error), hint=f"Type: {HINT}") from None


def docker_install_change(machine: Machine) -> Change:
    """Return the change that installs Docker here. Raises SetupError on machines without apt."""
    if not machine.apt:
        raise SetupError(
            "Docker is not installed, and this machine has no apt-get",
            hint="Install Docker Engine with your distribution's package manager, then type: pratique setup",
        )
    packages = ["docker.io", "iptables", "ca-certificates"]
    if machine.apparmor and shutil.which("apparmor_parser", path=_path()) is None:
        packages.append("apparmor")
    return install_packages(f"install Docker ({', '.join(packages)})", packages)


def is_running() -> bool:
    """Return whether a Docker Engine is running, even if it denies access."""
    try:
        connect().close()
    except SetupError as error:
        return "permission denied" in error.title
    return True


def _start(machine: Machine, ask: Confirm, say: Report) -> None:
    if machine.systemd:
        command = ("systemctl", "enable", "--now", "docker")
        apply_change(Change("start Docker now and at every boot", (command,)), machine, ask)
        _wait(None, None)
        return
    log = locations.state() / "dockerd.log"
    dockerd = as_root(("dockerd",), machine)
    change = Change(f"start dockerd without systemd (log: {log})", ())
    apply_change(change, machine, ask)
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
    while not is_running():
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > deadline:
            reason = last_line(log.read_text(errors="replace")) if log else "it does not respond"
            hint = f"Read {log}" if log else "Type: sudo journalctl -u docker"
            raise SetupError(f"dockerd did not start: {reason}", hint=hint)
        time.sleep(0.2)


def _path() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin"
