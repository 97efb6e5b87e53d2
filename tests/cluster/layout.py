"""Where a cluster for tests lies, and its ports: not the usual ones, as another may be on this machine."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import yaml

API_PORT, ETCD_PORT, KUBELET_PORT = 26443, 22379, 20250
"""Below the ports that the kernel gives to connections (32768 and up)."""
BRIDGE, PODS = "pratique0", "10.98.0.0/24"
"""What Pods of the engine's namespace are connected with, and their addresses."""
API_ADDRESS, SERVICES = "10.97.0.1", "10.97.0.0/24"
"""Where Pods reach the API server, and the addresses of Services."""
DATABASE_ADDRESS, DATABASE = "10.97.0.250", "db.example.com"
"""Where Pods reach PostgreSQL, and the name that its certificate has."""
NAMESPACE = "pratique-sandboxes"
GROUP = "pratique-cluster"
"""The control group, in every hierarchy, below which all Pods live."""
USERS = {
    "admin": "system:masters",
    "engine": "",
    "system:node:localhost": "system:nodes",
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one cluster."""

    cache: Path
    """Programs: `bin` has those that were built, `tools` the unpacked packages."""
    state: Path

    @classmethod
    def usual(cls) -> Layout:
        """Return the folders that the environment names, or the usual ones."""
        cache = os.environ.get("PRATIQUE_CLUSTER_CACHE", "/var/cache/pratique-cluster")
        return cls(Path(cache), Path(os.environ.get("PRATIQUE_CLUSTER_STATE", "/tmp/pratique-cluster")))

    @property
    def minor(self) -> int:
        """The minor version of Kubernetes."""
        return int((self.cache / "VERSION").read_text().split(".")[1])

    @property
    def socket(self) -> Path:
        """The socket of containerd."""
        return self.state / "run" / "containerd.sock"

    def built(self, name: str) -> str:
        """Return a program that was built."""
        return str(self.cache / "bin" / name)

    def tool(self, name: str) -> str:
        """Return a program of a package."""
        return str(self.cache / "tools" / "usr" / "bin" / name)

    def environment(self) -> dict[str, str]:
        """Return the environment of the cluster's programs: they find their own runtimes first."""
        tools = self.cache / "tools" / "usr"
        path = f"{self.cache / 'bin'}:{tools / 'bin'}:{tools / 'sbin'}:{os.environ['PATH']}"
        return os.environ | {"PATH": path, "TMPDIR": str(self.state / "tmp")}

    def kubeconfig(self, user: str) -> Path:
        """Return the kubeconfig of a user."""
        return self.state / "users" / f"{user.replace(':', '-')}.yaml"

    def write_users(self) -> None:
        """Make a token and a kubeconfig for each user."""
        cluster = {
            "server": f"https://127.0.0.1:{API_PORT}",
            "certificate-authority": str(self.state / "pki" / "ca.crt"),
        }
        rows = []
        for number, (user, group) in enumerate(USERS.items()):
            token = secrets.token_hex(16)
            rows.append(f'{token},{user},{number + 1},"{group}"\n')
            context = {"cluster": "here", "user": user, "namespace": NAMESPACE}
            document = {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "contexts": [{"name": "here", "context": context}],
                "clusters": [{"name": "here", "cluster": cluster}],
                "users": [{"name": user, "user": {"token": token}}],
            }
            self._private(self.kubeconfig(user), yaml.safe_dump(document))
        self._private(self.state / "pki" / "tokens.csv", "".join(rows))

    @staticmethod
    def _private(path: Path, text: str) -> None:
        path.touch(0o600)
        path.write_text(text)

    def note_images(self, images: dict[str, str]) -> None:
        """Keep the digests of the images that were imported."""
        (self.state / "images.json").write_text(json.dumps(images))

    def settings(self) -> str:
        """Return the settings `sandbox.kubernetes` of this cluster, as JSON."""
        images = json.loads((self.state / "images.json").read_text())
        return json.dumps(
            {
                "kubeconfig": str(self.kubeconfig("engine")),
                "namespace": NAMESPACE,
                "registry": "localhost/pratique",
                "images": images,
            }
        )
