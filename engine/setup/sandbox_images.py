"""The images: built where they are missing or changed, with what building them needs."""

from __future__ import annotations

import shutil

from docker import DockerClient

from engine import images
from engine.images import Watch
from engine.setup.change import Ask, Change, as_root, installing, make
from engine.setup.machine import Machine


def ensure(docker: DockerClient, machine: Machine, ask: Ask, watch: Watch) -> None:
    """Build every shipped image that Docker lacks or that changed. Raises SetupError or ImageError."""
    if all(image.current for image in images.listed(docker)):
        return
    if images.pinned(docker) is None and not images.pull(docker):
        _bootstrap(docker, machine, ask)
    for spec in images.shipped():
        images.build(docker, spec, watch)


def _bootstrap(docker: DockerClient, machine: Machine, ask: Ask) -> None:
    if machine.apt and shutil.which("mmdebstrap") is None:
        packages = ("mmdebstrap", "debian-archive-keyring")
        make(installing("install mmdebstrap, for no container registry answers", packages), machine, ask)
    make(Change("make the base image with mmdebstrap", ()), machine, ask)
    images.bootstrap(docker, as_root((), machine))
