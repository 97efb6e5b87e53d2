"""The checks of `pratique doctor`: one row each, with what to type if it fails."""

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
from engine.sandbox.drivers.docker import frozen, ownership
from engine.settings import Settings
from engine.setup import cluster_checks, docker_engine, gvisor, network_checks
from engine.setup.daemon_json import DAEMON_JSON
from engine.setup.runsc import RUNTIME
from engine.trusted_files import trusted_check

SETUP = "Type: pratique setup"
_TRY_SECONDS = 30
_GIB = 1024**3
_MIN_FREE_BYTES = 2 * _GIB


def run_checks() -> tuple[Check, ...]:
    """Check everything that running code requires, without changing it."""
    own = (_python(), _settings(), _state(), trusted_check())
    found = (*own, *_backend_rows()) if own[1].ok else (*own, *frozen_rows(), *_docker_rows())
    return (*found, *network_checks.rows()) if all(check.ok for check in found) else found


def _backend_rows() -> tuple[Check, ...]:
    """Return the rows about what creates sandboxes. The settings are valid."""
    settings = Settings().sandbox
    if settings.backend == "kubernetes":
        return cluster_checks.rows(settings)
    return (*frozen_rows(), *_docker_rows())


def check_row(name: str, detail: str, *, ok: bool = True, hint: str = "") -> Check:
    """Return a row; the hint is dropped if the check passed."""
    return Check(name=name, ok=ok, detail=Untrusted(detail), hint="" if ok else hint)


def failed_row(name: str, problem: Problem) -> Check:
    """Return the row of a failed check."""
    return check_row(name, problem.title, ok=False, hint=problem.hint)


def _python() -> Check:
    return check_row("python", f"{platform.python_version()}, {sys.executable}")


def _settings() -> Check:
    path = locations.settings_file()
    try:
        Settings()
    except (ValidationError, SettingsError, YAMLError, ValueError) as error:
        return check_row("settings", _first_error(error), ok=False, hint=f"Edit {path}")
    return check_row("settings", str(path) if path.exists() else f"defaults (no {path})")


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
        return check_row(
            "state",
            f"{error.filename}: {error.strerror}",
            ok=False,
            hint="Set PRATIQUE_HOME to a directory that you can write to",
        )
    detail = f"{folder}, {free / _GIB:.1f} GiB free"
    hint = f"Free disk space for {folder}: it needs {_MIN_FREE_BYTES / _GIB:.0f} GiB"
    return check_row("state", detail, ok=free > _MIN_FREE_BYTES, hint=hint)


def frozen_rows() -> tuple[Check, ...]:
    """Return a row if sandboxes of an engine that is gone are frozen: they keep Docker from restarting."""
    own = ownership.current("")
    left = [one.container[:12] for one in frozen.frozen_sandboxes() if ownership.orphaned(one.labels, own)]
    detail = f"frozen, and keep Docker from restarting: {', '.join(left)}; their engine is gone"
    hint = "Type: pratique serve   (it ends them)"
    return (check_row("frozen sandboxes", detail, ok=False, hint=hint),) if left else ()


def _docker_rows() -> tuple[Check, ...]:
    try:
        docker = docker_engine.connect(_TRY_SECONDS)
    except Problem as problem:
        missing = (
            check_row(name, "requires Docker", ok=False, hint=problem.hint) for name in ("gvisor", "images")
        )
        return (failed_row("docker", problem), *missing)
    with contextlib.closing(docker):
        checks = (("docker", _engine), ("gvisor", _gvisor), ("images", _images))
        return tuple(_checked(name, check, docker) for name, check in checks)


def _checked(name: str, check: Callable[[DockerClient], Check], docker: DockerClient) -> Check:
    try:
        return check(docker)
    except Problem as problem:
        return failed_row(name, problem)
    except (DockerException, requests.RequestException, OSError) as error:
        return check_row(
            name, " ".join(str(error).split()), ok=False, hint="Type: sudo systemctl restart docker"
        )


def _engine(docker: DockerClient) -> Check:
    began = time.monotonic()
    version = docker.version()
    took = (time.monotonic() - began) * 1000
    info = docker.info()
    cgroup = info.get("CgroupVersion", "1")
    detail = f"{version['Version']}, cgroup v{cgroup}, {info['Driver']}, responds in {took:.0f} ms"
    return check_row("docker", detail)


def _images(docker: DockerClient) -> Check:
    found = images.list_images(docker)
    stale = [
        f"{image.name} {'outdated' if image.digest else 'missing'}" for image in found if not image.current
    ]
    detail = ", ".join(stale or [image.name for image in found])
    return check_row("images", detail, ok=not stale, hint="Type: pratique image build")


def _gvisor(docker: DockerClient) -> Check:
    if not gvisor.has_runsc(docker):
        return check_row("gvisor", f"Docker has no runtime {RUNTIME}", ok=False, hint=SETUP)
    began = time.monotonic()
    try:
        log = _kernel_log(docker)
    except ImageNotFound:
        return check_row(
            "gvisor", "cannot be checked without images", ok=False, hint="Type: pratique image build"
        )
    except DockerException as error:
        return _start_failure(str(error))
    took = (time.monotonic() - began) * 1000
    ok = "Starting gVisor" in log
    detail = f"a sandbox starts on gVisor in {took:.0f} ms" if ok else "a sandbox starts, but not on gVisor"
    return check_row("gvisor", detail, ok=ok, hint=f"Check the runtime {RUNTIME} in {DAEMON_JSON}")


def _start_failure(error: str) -> Check:
    reason = "a sandbox does not start: " + " ".join(error.split())
    if "network enabled in root network namespace" in error:
        hint = f'Add "runtimeArgs": ["--network=none"] to {RUNTIME} in {DAEMON_JSON}, then: pratique setup'
    else:
        hint = f"Check the runtime {RUNTIME} in {DAEMON_JSON}"
    return check_row("gvisor", reason, ok=False, hint=hint)


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
