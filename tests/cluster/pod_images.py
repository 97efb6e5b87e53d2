"""The images of a cluster that reaches no registry: imported, and named by their digests."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile

from tests.cluster.daemons import ClusterError
from tests.cluster.layout import Layout
from tests.cluster.node import ctr

PAUSE = "localhost/pause:1"
NAMES = ("shell", "python", "node")
_REGISTRY = "localhost/pratique"


def import_images(layout: Layout) -> dict[str, str]:
    """Import the pause image and Docker's images; return digests by name. Raises ClusterError."""
    if not _digest(layout, PAUSE):
        _import(layout, _pause_image(layout))
        # pinned: the kubelet would take it for unused, and nobody could pull it again
        ctr(layout, "images", "label", PAUSE, "io.cri-containerd.pinned=pinned")
    return {name: _import_named(layout, name) for name in NAMES}


def _import_named(layout: Layout, name: str) -> str:
    tag = f"docker.io/pratique/{name}:latest"
    saved = subprocess.run(["docker", "save", f"pratique/{name}"], capture_output=True, check=False)
    if saved.returncode:
        raise ClusterError(f"Docker has no image pratique/{name}. Type: pratique image build")
    _import(layout, saved.stdout)
    digest = _digest(layout, tag)
    ctr(layout, "images", "tag", "--force", tag, f"{_REGISTRY}/{name}@{digest}")
    return digest


def import_archive(layout: Layout, archive: bytes, name: str) -> None:
    """Import an image of Docker's under another name. Raises ClusterError."""
    _import(layout, archive)
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        manifest = opened.extractfile("manifest.json")
        (tag,) = json.load(manifest)[0]["RepoTags"] if manifest else ("",)
    if ctr(layout, "images", "tag", "--force", f"docker.io/{tag}", name).returncode:
        raise ClusterError(f"the image {tag} was not imported")


def _import(layout: Layout, archive: bytes) -> None:
    done = ctr(layout, "images", "import", "-", input=archive)
    if done.returncode:
        raise ClusterError(f"an image cannot be imported: {done.stderr.decode(errors='replace')}")


def _digest(layout: Layout, reference: str) -> str:
    rows = [line.split() for line in ctr(layout, "images", "ls").stdout.decode().splitlines()]
    return next((row[2] for row in rows if len(row) > 2 and row[0] == reference), "")


def _pause_image(layout: Layout) -> bytes:
    """Return an image whose one program waits for ever: it holds a Pod's namespaces."""
    busybox = (layout.cache / "tools" / "bin" / "busybox").read_bytes()
    layer = _tar({"bin/busybox": busybox})
    difference = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/bin/busybox", "tail", "-f", "/dev/null"]},
        "rootfs": {"type": "layers", "diff_ids": [difference]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [PAUSE], "Layers": ["layer.tar"]}]
    parts = {"config.json": config, "manifest.json": manifest}
    return _tar({"layer.tar": layer} | {name: json.dumps(part).encode() for name, part in parts.items()})


def _tar(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for folder in ("dev", "proc", "sys", "tmp"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
