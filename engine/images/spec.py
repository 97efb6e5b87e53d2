"""What an image is made of: its folder, the guest's files, and the hash over both."""

from __future__ import annotations

import hashlib
import io
import tarfile
from datetime import datetime
from pathlib import Path

from engine import locations
from engine.common.errors import Problem
from engine.models import FrozenModel

INPUTS = "pratique.inputs"
"""The label with the hash of what an image was built from."""
BASE_LABEL = "pratique.base"
"""The label with the digest of the image below."""

_SHARED_GUEST = {"python-data": "python", "notebook": "python"}
_COMMON = ("seal.sh",)


class ImageError(Problem):
    """An image could not be made."""

    def __init__(self, title: str, *, hint: str) -> None:
        super().__init__(503, title, hint=hint)


class ImageSpec(FrozenModel):
    """One image as shipped: the folder of its Dockerfile, and the folder of the files for the guest."""

    name: str
    folder: Path
    guest: Path


class Progress(FrozenModel):
    """How far a build is: `step` of `steps`, and the line that Docker said last."""

    image: str
    step: int
    steps: int
    line: str


class BuiltImage(FrozenModel):
    """An image that is ready, and whether it had to be built."""

    name: str
    reference: str
    digest: str
    built: bool
    seconds: float


class ListedImage(FrozenModel):
    """One shipped image as Docker has it: no digest where missing, not current where inputs changed."""

    name: str
    reference: str
    digest: str | None = None
    created_at: datetime | None = None
    bytes: int | None = None
    base: str = ""
    current: bool = False


def shipped() -> tuple[ImageSpec, ...]:
    """Return every image that ships, by name."""
    folder = locations.images()
    return tuple(_spec(path.parent) for path in sorted(folder.glob("*/Dockerfile")))


def _spec(folder: Path) -> ImageSpec:
    guest = folder.parent / _SHARED_GUEST.get(folder.name, folder.name) / "guest"
    return ImageSpec(name=folder.name, folder=folder, guest=guest)


def reference(name: str) -> str:
    """Return the tag by which Docker knows the image of that name."""
    return f"pratique/{name}"


def inputs(spec: ImageSpec) -> dict[str, bytes]:
    """Return the build context: path to content, the same wherever the folder lies.

    Raises ImageError where the folder cannot be read.
    """
    try:
        common = {name: (spec.folder.parent / name).read_bytes() for name in _COMMON}
        own = _files(spec.folder / "guest", "guest/")
        return common | _files(spec.folder, "") | _files(spec.guest, "guest/") | own
    except OSError as error:
        reason = f"image {spec.name}: {error.filename}: {error.strerror}"
        raise ImageError(reason, hint="Install Pratique anew") from None


def inputs_hash(spec: ImageSpec) -> str:
    """Return the SHA-256 over names and contents of all that the image is built from, its base aside."""
    total = hashlib.sha256()
    for name, content in sorted(inputs(spec).items()):
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def context(spec: ImageSpec) -> io.BytesIO:
    """Return the build context as a tar whose bytes depend on the inputs alone."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(_directory("guest"))
        for name, content in sorted(inputs(spec).items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    buffer.seek(0)
    return buffer


def _directory(name: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.DIRTYPE
    entry.mode = 0o755
    return entry


def _files(folder: Path, prefix: str) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    return {
        prefix + path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and (prefix or path.parent == folder)
    }
