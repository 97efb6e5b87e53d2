"""The engine's image, made as docs/deployment.md says, on Debian's Python and without a registry."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.cluster.daemons import ClusterError
from tests.cluster.layout import Layout
from tests.deployment.manifests import DEPLOY
from tests.packages.build import build_application

IMAGE = "pratique-tests/engine"
_BASE, _PYTHON = "pratique-tests/python", "3.13"
_BASE_DOCKERFILE = """\
FROM pratique/base
RUN apt-get update -q \\
 && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3 python3-venv passwd \\
 && ln -sf python3 /usr/bin/python \\
 && apt-get clean && rm -rf /var/lib/apt/lists
COPY wheels /opt/wheels
ENV PIP_NO_INDEX=1 PIP_FIND_LINKS=/opt/wheels
"""
_PLATFORMS = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux2014_x86_64", "any")
_LOCK = DEPLOY.parent / "requirements.lock"


def build(layout: Layout) -> bytes:
    """Build the image, or take it from Docker's cache; return it as an archive. Raises ClusterError."""
    application = layout.state / "application"
    wheel = next(path for path in build_application(application) if path.suffix == ".whl")
    base = _with_wheels(layout.cache, wheel)
    (base / "Dockerfile").write_text(_BASE_DOCKERFILE)
    _run(["docker", "build", "-q", "-t", _BASE, str(base)])
    options = ["-f", str(DEPLOY / "Dockerfile"), "--build-arg", f"BASE={_BASE}", "-t", IMAGE]
    _run(["docker", "build", "-q", *options, "--build-arg", "EXTRAS=[postgres]", str(application)])
    return _run(["docker", "save", IMAGE])


def _with_wheels(cache: Path, wheel: Path) -> Path:
    """Return a folder with the wheels that the application needs, for the Python of the image."""
    folder = cache / f"engine-{hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        fresh = folder.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        platforms = [f"--platform={name}" for name in _PLATFORMS]
        pip = [sys.executable, "-m", "pip", "download", "-q", "--dest", str(fresh / "wheels")]
        _run([*pip, f"--python-version={_PYTHON}", "--only-binary=:all:", *platforms, f"{wheel}[postgres]"])
        (fresh / "wheels" / wheel.name).unlink()
        fresh.rename(folder)
    return folder


def _run(command: Sequence[str]) -> bytes:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise ClusterError(f"{' '.join(command[:3])} failed: {done.stderr.decode(errors='replace')[-1000:]}")
    return done.stdout
