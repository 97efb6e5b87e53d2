"""Brings the cluster up until a node is ready, and ends exactly what was started."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.cluster import control_plane, network, node
from tests.cluster.daemons import ClusterError, Daemons
from tests.cluster.layout import GROUP, NAMESPACE, Layout
from tests.cluster.pod_images import import_images
from tests.deployment.manifests import Object, manifests

_FOLDERS = ("conf", "pki", "users", "run", "tmp", "cni/bin", "cni/conf", "kubelet")
_SYSCTLS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops")
_KEYS = ("kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")
DAEMONS = ("kubelet", "scheduler", "controller-manager", "apiserver", "etcd")
"""In the order in which they are ended: the kubelet would start again what is ended below it."""


def up(layout: Layout) -> None:
    """Bring the cluster up; what runs is left running. Raises ClusterError."""
    if not (layout.cache / "VERSION").is_file():
        raise ClusterError(f"nothing was built in {layout.cache}. Type: python -m tests.cluster build")
    for folder in _FOLDERS:
        (layout.state / folder).mkdir(parents=True, exist_ok=True)
    layout.state.chmod(0o711)
    daemons = Daemons(layout.state)
    _note_sysctls(layout)
    node.make_groups()
    control_plane.make_keys(layout)
    node.start_containerd(layout, daemons)
    control_plane.start(layout, daemons)
    layout.note_images(import_images(layout))
    node.start_kubelet(layout, daemons)
    _apply(layout)
    daemons.wait("node", 180, lambda: _ready(layout))
    accounts = ("-n", NAMESPACE, "get", "serviceaccount", "default")
    daemons.wait("service account", 60, lambda: control_plane.kubectl(layout, *accounts).returncode == 0)


def _ready(layout: Layout) -> bool:
    """Return whether the node is ready; the taint goes a little after the condition comes."""
    field = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}{.spec.taints}'
    return control_plane.kubectl(layout, "get", "node", "localhost", "-o", field).stdout == "True"


def _apply(layout: Layout) -> None:
    """Apply the RuntimeClass, and what ships for the sandboxes' namespace, for the user `engine`."""
    shipped = [one for one in manifests() if NAMESPACE in {_namespace(one), one["metadata"]["name"]}]
    for one in shipped:
        if one["kind"] == "RoleBinding":
            group = "rbac.authorization.k8s.io"
            one["subjects"] = [{"kind": "User", "name": "engine", "apiGroup": group}]
    handler = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "gvisor"}}
    if trouble := control_plane.apply(layout, [{**handler, "handler": "runsc"}, *shipped]):
        raise ClusterError(trouble)


def _namespace(one: Object) -> str:
    return str(one["metadata"].get("namespace", ""))


def down(layout: Layout) -> None:
    """End what was started, and remove its mounts, control groups and folder; the cache stays."""
    if not layout.state.is_dir():
        return
    daemons = Daemons(layout.state)
    for name in DAEMONS:
        daemons.end(name)
    node.end_pods(layout)
    daemons.end("containerd")
    _unmount(layout)
    network.remove_bridge()
    for root in node.hierarchies():
        for folder, _, _ in os.walk(root / GROUP, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
    _restore_sysctls(layout)
    shutil.rmtree(layout.state, ignore_errors=True)


def _unmount(layout: Layout) -> None:
    rows = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mounted in sorted((one for one in rows if one.startswith(f"{layout.state}/")), reverse=True):
        subprocess.run(["umount", "--lazy", mounted], check=False)


def _note_sysctls(layout: Layout) -> None:
    """Keep what the kubelet changes and never restores."""
    note = layout.state / "sysctls"
    if not note.exists():
        paths = [Path("/proc/sys") / name for name in (*_SYSCTLS, *_KEYS)]
        note.write_text("".join(f"{path} {path.read_text()}" for path in paths if path.is_file()))


def _restore_sysctls(layout: Layout) -> None:
    note = layout.state / "sysctls"
    for line in note.read_text().splitlines() if note.is_file() else ():
        path, _, value = line.partition(" ")
        with contextlib.suppress(OSError):
            Path(path).write_text(value)
