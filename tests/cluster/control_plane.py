"""etcd, the API server, the controllers and the scheduler, on loopback alone."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.cluster.certificates import Authority
from tests.cluster.daemons import Daemons
from tests.cluster.layout import API_ADDRESS, API_PORT, DATABASE, ETCD_PORT, SERVICES, Layout

_ISSUER = "https://kubernetes.default.svc"


def make_keys(layout: Layout) -> None:
    """Make certificates and users, once."""
    pki = layout.state / "pki"
    if (pki / "tokens.csv").is_file():
        return
    authority = Authority(pki)
    authority.sign("api", "kube-apiserver", hosts=(API_ADDRESS,))
    authority.sign("engine", "pratique", hosts=("pratique.pratique.svc",))
    authority.sign("database", "pratique", hosts=(DATABASE,))
    authority.sign("kubelet", "localhost")
    authority.sign("api-to-kubelet", "kube-apiserver-kubelet-client", "system:masters")
    authority.sign("accounts", "service-accounts")
    layout.write_users()


def start(layout: Layout, daemons: Daemons) -> None:
    """Start the control plane, and wait until the API server is ready."""
    daemons.start("etcd", _etcd(layout), layout.environment())
    daemons.wait("API server", 180, lambda: _serves(layout, daemons))
    # before 1.24 both also serve plain HTTP on all addresses, unless told not to
    plain = ["--port=0"] if layout.minor < 24 else []
    for name, options in (("controller-manager", _controllers(layout)), ("scheduler", [])):
        user = layout.kubeconfig(f"system:kube-{name}")
        port = API_PORT + 1 + (name == "scheduler")
        command = [
            layout.built(f"kube-{name}"), f"--kubeconfig={user}", "--bind-address=127.0.0.1",
            f"--secure-port={port}", "--leader-elect=false", *plain, *options,
        ]  # fmt: skip
        daemons.start(name, command, layout.environment())


def _serves(layout: Layout, daemons: Daemons) -> bool:
    """Start the API server unless it runs: it ends where its port is taken. Return whether it is ready."""
    daemons.start("apiserver", _apiserver(layout), layout.environment())
    return kubectl(layout, "get", "--raw", "/readyz").returncode == 0


def _etcd(layout: Layout) -> list[str]:
    client, peer = (f"http://127.0.0.1:{port}" for port in (ETCD_PORT, ETCD_PORT + 1))
    return [
        layout.tool("etcd"), "--data-dir", str(layout.state / "etcd"), "--unsafe-no-fsync",
        "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
        "--log-level", "warn",
    ]  # fmt: skip


def _apiserver(layout: Layout) -> list[str]:
    pki = layout.state / "pki"
    options: dict[str, Any] = {
        "etcd-servers": f"http://127.0.0.1:{ETCD_PORT}",
        "bind-address": "127.0.0.1",
        "secure-port": API_PORT,
        "tls-cert-file": pki / "api.crt",
        "tls-private-key-file": pki / "api.key",
        "token-auth-file": pki / "tokens.csv",
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction",
        "anonymous-auth": "false",
        "service-account-issuer": _ISSUER,
        "service-account-key-file": pki / "accounts.key",
        "service-account-signing-key-file": pki / "accounts.key",
        "service-cluster-ip-range": SERVICES,
        "endpoint-reconciler-type": "none",
        "kubelet-certificate-authority": pki / "ca.crt",
        "kubelet-client-certificate": pki / "api-to-kubelet.crt",
        "kubelet-client-key": pki / "api-to-kubelet.key",
        # the kubelet refuses a loopback address as its own; its name, localhost, leads to where it listens
        "kubelet-preferred-address-types": "Hostname",
    }
    return [layout.built("kube-apiserver"), *(f"--{name}={value}" for name, value in options.items())]


def _controllers(layout: Layout) -> list[str]:
    pki = layout.state / "pki"
    return [
        f"--service-account-private-key-file={pki / 'accounts.key'}",
        f"--root-ca-file={pki / 'ca.crt'}",
        # its own user alone may not even take the taint off a node that became ready
        "--use-service-account-credentials",
    ]


def kubectl(layout: Layout, *words: str, input: str = "") -> subprocess.CompletedProcess[str]:
    """Run kubectl as the administrator."""
    command = [layout.built("kubectl"), "--kubeconfig", str(layout.kubeconfig("admin")), *words]
    return subprocess.run(command, input=input, capture_output=True, check=False, text=True)


def apply(layout: Layout, objects: list[dict[str, Any]], *words: str) -> str:
    """Apply objects; return what was wrong with them, "" where nothing was."""
    document = {"apiVersion": "v1", "kind": "List", "items": objects}
    done = kubectl(layout, "apply", "-f", "-", *words, input=json.dumps(document))
    return "" if done.returncode == 0 else done.stderr
