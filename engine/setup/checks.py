"""What `pratique doctor` looks at: one row each, and what to type where a row is not well."""

from __future__ import annotations

import contextlib
import platform
import shutil
import sys
import time
from collections.abc import Callable

import requests
from docker import DockerClient
from docker.errors import DockerException, ImageNotFound
from pydantic import ValidationError
from pydantic_settings import SettingsError
from yaml import YAMLError

from engine import images, locations
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Check
from engine.settings import Settings
from engine.setup import docker_engine, gvisor, network_checks
from engine.setup.daemon_json import DAEMON_JSON
from engine.setup.runsc import RUNTIME

SETUP = "Type: pratique setup"
_TRY_SECONDS = 30
_ROOM_BYTES = 2 * 1024**3


def doctor() -> tuple[Check, ...]:
    """Look at everything that running code needs, without changing it."""
    found = (_python(), _settings(), _state(), *_docker_rows())
    return (*found, *network_checks.rows()) if all(check.ok for check in found) else found


def row(name: str, detail: str, *, ok: bool = True, hint: str = "") -> Check:
    """Return one row."""
    return Check(name=name, ok=ok, detail=Untrusted(detail), hint="" if ok else hint)


def failed(name: str, problem: Problem) -> Check:
    """Return the row of something that is not well."""
    return row(name, problem.title, ok=False, hint=problem.hint)


def _python() -> Check:
    return row("python", f"{platform.python_version()}, {sys.executable}")


def _settings() -> Check:
    path = locations.settings_file()
    try:
        Settings()
    except (ValidationError, SettingsError, YAMLError, ValueError) as error:
        return row("settings", _first_error(error), ok=False, hint=f"Mend {path}")
    return row("settings", str(path) if path.exists() else f"defaults (no {path})")


def _first_error(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return " ".join(str(error).split())


def _state() -> Check:
    try:
        folder = locations.state()
        probe = folder / ".doctor"
        probe.write_bytes(b"")
        probe.unlink()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return row(
            "state",
            f"{error.filename}: {error.strerror}",
            ok=False,
            hint="Set PRATIQUE_HOME to a folder of yours",
        )
    detail = f"{folder}, {free / 1024**3:.1f} GiB free"
    return row("state", detail, ok=free > _ROOM_BYTES, hint=f"Make room on the disk of {folder}")


def _docker_rows() -> tuple[Check, ...]:
    try:
        docker = docker_engine.connect(_TRY_SECONDS)
    except Problem as problem:
        missing = (row(name, "needs Docker", ok=False, hint=problem.hint) for name in ("gvisor", "images"))
        return (failed("docker", problem), *missing)
    with contextlib.closing(docker):
        looks = (("docker", _engine), ("gvisor", _gvisor), ("images", _images))
        return tuple(_looked(name, look, docker) for name, look in looks)


def _looked(name: str, look: Callable[[DockerClient], Check], docker: DockerClient) -> Check:
    try:
        return look(docker)
    except Problem as problem:
        return failed(name, problem)
    except (DockerException, requests.RequestException, OSError) as error:
        return row(name, " ".join(str(error).split()), ok=False, hint="Type: sudo systemctl restart docker")


def _engine(docker: DockerClient) -> Check:
    began = time.monotonic()
    version = docker.version()
    took = (time.monotonic() - began) * 1000
    info = docker.info()
    cgroup = info.get("CgroupVersion", "1")
    detail = f"{version['Version']}, cgroup v{cgroup}, {info['Driver']}, answers in {took:.0f} ms"
    return row("docker", detail)


def _images(docker: DockerClient) -> Check:
    found = images.listed(docker)
    wanting = [
        f"{image.name} {'changed' if image.digest else 'missing'}" for image in found if not image.current
    ]
    detail = ", ".join(wanting or [image.name for image in found])
    return row("images", detail, ok=not wanting, hint="Type: pratique image build")


def _gvisor(docker: DockerClient) -> Check:
    if not gvisor.known(docker):
        return row("gvisor", f"Docker has no runtime {RUNTIME}", ok=False, hint=SETUP)
    began = time.monotonic()
    try:
        said = _kernel_log(docker)
    except ImageNotFound:
        return row("gvisor", "cannot be tried without images", ok=False, hint="Type: pratique image build")
    except DockerException as error:
        return _does_not_start(str(error))
    took = (time.monotonic() - began) * 1000
    ok = "Starting gVisor" in said
    detail = f"a sandbox starts and says so in {took:.0f} ms" if ok else "a sandbox starts, on another kernel"
    return row("gvisor", detail, ok=ok, hint=f"Look at the runtime {RUNTIME} in {DAEMON_JSON}")


def _does_not_start(said: str) -> Check:
    reason = "a sandbox does not start: " + " ".join(said.split())
    if "network enabled in root network namespace" in said:
        hint = f'Add "runtimeArgs": ["--network=none"] to {RUNTIME} in {DAEMON_JSON}, then: pratique setup'
    else:
        hint = f"Look at the runtime {RUNTIME} in {DAEMON_JSON}"
    return row("gvisor", reason, ok=False, hint=hint)


def _kernel_log(docker: DockerClient) -> str:
    container = docker.containers.create(
        images.reference("shell"),
        ["dmesg"],
        runtime=RUNTIME,
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        labels={"pratique.doctor": "1"},
    )
    try:
        container.start()
        container.wait(timeout=_TRY_SECONDS)
        return container.logs(tail=100).decode(errors="replace")
    finally:
        container.remove(force=True)
