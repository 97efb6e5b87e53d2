"""The base image: pulled from a registry, or created with mmdebstrap."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import requests
from docker import DockerClient
from docker.errors import DockerException, ImageNotFound

from engine.images.spec import ImageError

BASE = "pratique/base"
SUITE = "trixie"
_UPSTREAM = ("debian", f"{SUITE}-slim")
_LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/bash-completion/*")
_BOOTSTRAP_SECONDS = 1200


def base_digest(docker: DockerClient) -> str | None:
    """Return the base image by digest, as a Dockerfile names it, or None if Docker has none."""
    try:
        image = docker.images.get(BASE)
    except ImageNotFound:
        return None
    digests = [digest for digest in image.attrs.get("RepoDigests") or () if digest.startswith(_UPSTREAM[0])]
    return digests[0] if digests else str(image.id)


def pull(docker: DockerClient) -> bool:
    """Pull the upstream image and tag it; return False if no registry responds."""
    try:
        image = docker.images.pull(*_UPSTREAM)
        return bool(image.tag(BASE))
    except (DockerException, requests.RequestException):
        return False


def bootstrap(docker: DockerClient, prefix: Sequence[str] = ()) -> None:
    """Create the base image from Debian's archive and import it. Raises ImageError.

    `prefix` is put before the command, for example `("sudo",)`.
    """
    if shutil.which("mmdebstrap") is None:
        raise ImageError(
            "no container registry responds and mmdebstrap is not installed",
            hint="Type: sudo apt-get install mmdebstrap",
        )
    with tempfile.TemporaryDirectory(prefix="pratique-base-") as folder:
        archive = Path(folder) / "base.tar"
        _mmdebstrap(archive, prefix)
        _import(docker, archive)


def _mmdebstrap(archive: Path, prefix: Sequence[str]) -> None:
    excludes = [f"--dpkgopt=path-exclude={pattern}" for pattern in _LEFT_OUT]
    command = [*prefix, "mmdebstrap", "--variant=apt", *excludes, SUITE, str(archive)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_BOOTSTRAP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        reason = f"mmdebstrap took longer than {_BOOTSTRAP_SECONDS} s"
        raise ImageError(reason, hint="Type: pratique image build") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("E:")] or [
            "E: no error message"
        ]
        hint = f"Type: mmdebstrap {SUITE} /dev/null"
        if "chroot mode" in errors[0]:
            hint = "Type: sudo apt-get install uidmap, then repeat the command"
        raise ImageError(f"mmdebstrap failed: {errors[0][3:]}", hint=hint)


def _import(docker: DockerClient, archive: Path) -> None:
    try:
        docker.api.import_image_from_file(str(archive), repository=BASE, tag="latest")
        docker.images.get(BASE)
    except (DockerException, requests.RequestException) as error:
        raise ImageError(f"Docker could not import the base image: {error}", hint="Type: df -h") from None
