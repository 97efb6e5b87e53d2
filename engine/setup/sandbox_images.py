"""The images: built where they are missing or changed, with what building them needs."""

from __future__ import annotations

import shutil

from docker import DockerClient

from engine import images
from engine.images import Watch
from engine.setup.change import Ask, installing, make
from engine.setup.machine import Machine


def ensure(docker: DockerClient, machine: Machine, ask: Ask, watch: Watch) -> None:
    """Build every shipped image that Docker lacks or that changed. Raises SetupError or ImageError."""
    if all(image.current for image in images.listed(docker)):
        return
    if machine.apt and shutil.which("mmdebstrap") is None and not _base(docker):
        packages = ("mmdebstrap", "debian-archive-keyring")
        make(installing("install mmdebstrap, for no container registry answers", packages), machine, ask)
    for spec in images.shipped():
        images.build(docker, spec, watch)


def _base(docker: DockerClient) -> bool:
    return images.pinned(docker) is not None or images.pull(docker)
