"""Build the sandbox images that are missing or outdated."""

from __future__ import annotations

import shutil

from docker import DockerClient

from engine import images
from engine.images import Watch
from engine.setup.change import Change, Confirm, apply_change, as_root, install_packages
from engine.setup.machine import Machine


def ensure(docker: DockerClient, machine: Machine, ask: Confirm, watch: Watch) -> None:
    """Build every shipped image that is missing or outdated. Raises SetupError or ImageError."""
    if all(image.current for image in images.list_images(docker)):
        return
    if images.base_digest(docker) is None and not images.pull(docker):
        _bootstrap(docker, machine, ask)
    for spec in images.shipped():
        images.build(docker, spec, watch)


def _bootstrap(docker: DockerClient, machine: Machine, ask: Confirm) -> None:
    if machine.apt and shutil.which("mmdebstrap") is None:
        packages = ("mmdebstrap", "debian-archive-keyring")
        apply_change(
            install_packages("install mmdebstrap, because no container registry responds", packages),
            machine,
            ask,
        )
    apply_change(Change("create the base image with mmdebstrap", ()), machine, ask)
    images.bootstrap(docker, as_root((), machine))
