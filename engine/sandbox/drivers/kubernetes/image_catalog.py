"""The images that the settings name by digest, and the programs that the shipped ones start."""

from __future__ import annotations

import functools
import json
import re

from engine import locations
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.api.errors import ImageMissing, SandboxUnavailable
from engine.settings import KubernetesSettings

_PREFIX = "pratique/"
_COMMAND = re.compile(r"^CMD (\[.*\])$", re.MULTILINE)
_LABEL = re.compile(r"^LABEL pratique\.(session|cold)='(\[.*\])'$", re.MULTILINE)


class ImageCatalog:
    """Images by name and by digest. A cluster is asked for nothing: the digests are the operator's choice."""

    def __init__(self, settings: KubernetesSettings) -> None:
        self._settings = settings
        self._name_of = {digest: name for name, digest in settings.images.items()}

    def digest(self, image: str) -> str:
        """Return the digest of an image name such as `pratique/python`. Raises ImageMissing."""
        name = image.removeprefix(_PREFIX)
        if name not in self._settings.images:
            raise ImageMissing(
                f"sandbox.kubernetes.images has no digest of {name!a}",
                f"docker push {self._settings.registry or 'REGISTRY'}/{name}   (it prints the digest)",
            )
        return self._settings.images[name]

    def reference(self, digest: str) -> str:
        """Return what a node pulls. Raises ImageMissing."""
        return f"{self._settings.registry}/{self._name(digest)}@{digest}".lstrip("/")

    def interpreter(self, spec: SandboxSpec) -> tuple[str, ...]:
        """Return the command of the interpreter that waits in a sandbox. Raises SandboxUnavailable."""
        commands = _commands(self._name(spec.image_digest))
        kind = "session" if spec.session else "cold" if spec.on_demand else "usual"
        return commands.get(kind) or commands["usual"]

    def _name(self, digest: str) -> str:
        if digest not in self._name_of:
            raise ImageMissing(f"sandbox.kubernetes.images has no image {digest[:19]}", "pratique doctor")
        return self._name_of[digest]


@functools.cache
def _commands(name: str) -> dict[str, tuple[str, ...]]:
    """Read the commands of a shipped image from its Dockerfile: a cluster does not tell labels of images."""
    path = locations.images() / name / "Dockerfile"
    try:
        return parse_commands(path.read_text())
    except (OSError, ValueError):
        raise SandboxUnavailable(
            f"{name!a} is not one of the shipped images", "pratique image list"
        ) from None


def parse_commands(dockerfile: str) -> dict[str, tuple[str, ...]]:
    """Return the commands by kind: usual, cold, session. Raises ValueError: it has none."""
    usual = _COMMAND.findall(dockerfile)
    if len(usual) != 1:
        raise ValueError("not one CMD")
    named = {"usual": usual[0], **dict(_LABEL.findall(dockerfile))}
    return {kind: tuple(map(str, json.loads(command))) for kind, command in named.items()}
