"""The node: containerd with gVisor's own shim, a network that connects nothing, and the kubelet."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.daemons import Daemons
from tests.cluster.layout import BRIDGE, GROUP, KUBELET_PORT, PODS, Layout

_HIERARCHIES = Path("/proc/mounts")
_RUNSC = """\
binary_name = "{binary}"
root = "{root}"
[runsc_config]
network = "none"
"""
_CONTAINERD = """\
version = 2
root = "{state}/containerd"
state = "{state}/run/containerd"
temp = "{state}/tmp"
[grpc]
address = "{socket}"
[ttrpc]
address = "{socket}.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
path = "{state}/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
stream_server_address = "127.0.0.1"
stream_server_port = "0"
enable_selinux = false
netns_mounts_under_state_dir = true
disable_apparmor = true
restrict_oom_score_adj = true
max_container_log_line_size = -1
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{state}/cni/bin"
conf_dir = "{state}/cni/conf"
[plugins."io.containerd.grpc.v1.cri".containerd]
default_runtime_name = "runc"
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
Root = "{state}/run/runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runsc]
runtime_type = "io.containerd.runsc.v1"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runsc.options]
TypeUrl = "io.containerd.runsc.v1.options"
ConfigPath = "{state}/conf/runsc.toml"
"""
_CNI = """\
#!/bin/sh
# Connects Pods of the engine's namespace with a bridge, and any other with nothing; containerd wants an
# address for it, and gets one that nobody has.
case ";$CNI_ARGS;" in *";K8S_POD_NAMESPACE=pratique;"*) exec "${0%/*}/bridge" ;; esac
cat >/dev/null
[ "$CNI_COMMAND" = VERSION ] && echo '{"cniVersion":"0.4.0","supportedVersions":["0.4.0"]}'
[ "$CNI_COMMAND" = ADD ] || exit 0
cat <<END
{"cniVersion":"0.4.0","interfaces":[{"name":"$CNI_IFNAME","sandbox":"$CNI_NETNS"}],
 "ips":[{"version":"4","address":"192.0.2.1/32","interface":0}]}
END
"""


def hierarchies() -> list[Path]:
    """Return the mounted control group hierarchies."""
    rows = [line.split() for line in _HIERARCHIES.read_text().splitlines()]
    return [Path(row[1]) for row in rows if row[2] in {"cgroup", "cgroup2"}]


def make_groups() -> None:
    """Make the control group below which Pods live; a new cpuset is empty, and is filled from its parent."""
    for root in hierarchies():
        group = root / GROUP
        group.mkdir(exist_ok=True)
        for name in ("cpuset.cpus", "cpuset.mems"):
            if (root / name).is_file() and (group / name).is_file():
                (group / name).write_text((root / name).read_text())


def start_containerd(layout: Layout, daemons: Daemons) -> None:
    """Start containerd, and wait until it answers."""
    state = layout.state
    runsc = _RUNSC.format(binary=layout.tool("runsc"), root=state / "run" / "runsc")
    (state / "conf" / "runsc.toml").write_text(runsc)
    config = state / "conf" / "containerd.toml"
    config.write_text(_CONTAINERD.format(state=state, socket=layout.socket))
    _write_network(layout)
    daemons.start("containerd", [layout.tool("containerd"), "--config", str(config)], layout.environment())
    daemons.wait("containerd", 30, lambda: ctr(layout, "version").returncode == 0)


def _write_network(layout: Layout) -> None:
    folder = layout.state / "cni"
    plugin = folder / "bin" / "nothing"
    plugin.write_text(_CNI)
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    for name in ("loopback", "bridge", "host-local"):
        if not (folder / "bin" / name).exists():
            (folder / "bin" / name).symlink_to(layout.cache / "tools" / "usr" / "lib" / "cni" / name)
    addresses = {
        "type": "host-local",
        "subnet": PODS,
        "dataDir": str(folder / "leases"),
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    plugin_options = {"type": "nothing", "bridge": BRIDGE, "isGateway": True, "ipam": addresses}
    network = {"cniVersion": "0.4.0", "name": "nothing", "plugins": [plugin_options]}
    (folder / "conf" / "10-nothing.conflist").write_text(json.dumps(network))


def ctr(layout: Layout, *words: str, input: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run containerd's client."""
    command = [layout.tool("ctr"), "--address", str(layout.socket), "--namespace", "k8s.io", *words]
    return subprocess.run(command, input=input, capture_output=True, check=False, env=layout.environment())


def start_kubelet(layout: Layout, daemons: Daemons) -> None:
    """Start the kubelet."""
    config, endpoint = layout.state / "conf" / "kubelet.yaml", f"unix://{layout.socket}"
    config.write_text(yaml.safe_dump(_kubelet(layout)))
    command = [
        layout.built("kubelet"), "--config", str(config), "--hostname-override", "localhost",
        "--kubeconfig", str(layout.kubeconfig("system:node:localhost")),
        "--root-dir", str(layout.state / "kubelet"), "--cert-dir", str(layout.state / "kubelet" / "pki"),
    ]  # fmt: skip
    if layout.minor < 27:
        command += ["--container-runtime", "remote", "--container-runtime-endpoint", endpoint]
    daemons.start("kubelet", command, layout.environment())


def _kubelet(layout: Layout) -> dict[str, Any]:
    """Return the kubelet's configuration: loopback only, no packet rules of its own, no image removed."""
    pki = layout.state / "pki"
    config: dict[str, Any] = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": "127.0.0.1",
        "port": KUBELET_PORT,
        "healthzPort": KUBELET_PORT + 1,
        "readOnlyPort": 0,
        "tlsCertFile": str(pki / "kubelet.crt"),
        "tlsPrivateKeyFile": str(pki / "kubelet.key"),
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(pki / "ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{GROUP}",
        "failSwapOn": False,
        "makeIPTablesUtilChains": False,
        "volumePluginDir": str(layout.state / "kubelet" / "plugins"),
        "resolvConf": "",
        "serializeImagePulls": False,
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "maxPods": 110,
    }
    if layout.minor >= 27:
        config["containerRuntimeEndpoint"] = f"unix://{layout.socket}"
    if layout.minor >= 31:
        config["failCgroupV1"] = False
    return config


def end_pods(layout: Layout) -> None:
    """Kill what runs in Pods, and their shims, which are children of nobody."""
    socket = str(layout.socket)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"containerd-shim" in words[0] and socket.encode() in words:
            os.kill(int(folder.name), 9)
    for file in [one for root in hierarchies() for one in (root / GROUP).rglob("cgroup.procs")]:
        for pid in file.read_text().split():
            subprocess.run(["kill", "-KILL", pid], check=False, capture_output=True)
