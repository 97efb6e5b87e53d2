"""Applies what ships for the engine, with the images and certificates of a cluster for tests."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import yaml

from tests.cluster import control_plane
from tests.cluster.daemons import ClusterError
from tests.cluster.layout import Layout
from tests.deployment.manifests import DEPLOY, Object, chart, database_url, helm, objects, understood


def made(layout: Layout, name: str) -> list[Object]:
    """Return what `kubectl kustomize` makes of a folder of `deploy`, with this cluster's images.

    Raises ClusterError.
    """
    built = control_plane.kubectl(layout, "kustomize", str(_folder(layout, name)))
    if built.returncode:
        raise ClusterError(built.stderr)
    return _of_cluster(layout, objects(built.stdout))


def made_by_chart(layout: Layout) -> list[Object]:
    """Return what the chart makes with a database, by Helm where it is installed, for this cluster."""
    make = helm if shutil.which("helm") else chart
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "pratique"}}
    return [namespace, *_of_cluster(layout, make(**{"database.url": database_url()}))]


def _of_cluster(layout: Layout, made: list[Object]) -> list[Object]:
    found = understood(made, layout.minor)
    for one in found:
        if one["kind"] == "ConfigMap":
            one["data"]["settings.yaml"] = _settings(layout, one["data"]["settings.yaml"])
    return found


def _folder(layout: Layout, name: str) -> Path:
    """Return a folder that ships, or a copy that an old kubectl understands."""
    if layout.minor >= 21:
        return DEPLOY / name
    copy = layout.state / "tmp" / "deploy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(DEPLOY, copy)
    kustomization = copy / name / "kustomization.yaml"
    document = yaml.safe_load(kustomization.read_text())
    folders = [one for one in document["resources"] if not one.endswith(".yaml")]
    document["bases"] = folders
    document["resources"] = [one for one in document["resources"] if one not in folders]
    document["patchesStrategicMerge"] = [one["path"] for one in document.pop("patches", [])]
    kustomization.write_text(yaml.safe_dump(document))
    return copy / name


def apply(layout: Layout, shipped: list[Object], *further: Object, engines: int = 1) -> None:
    """Apply it, with the certificate of the Service, a volume for each engine and what goes before it.

    Raises ClusterError.
    """
    _forget(layout)
    namespaces = [one for one in shipped if one["kind"] == "Namespace"]
    pki = layout.state / "pki"
    tls = {f"tls.{part}": (pki / f"engine.{part}").read_bytes() for part in ("crt", "key")}
    first = [
        *namespaces,
        secret("pratique-tls", tls, "kubernetes.io/tls"),
        *further,
        *(_volume(layout, f"engine-{number}") for number in range(engines)),
    ]
    if trouble := control_plane.apply(layout, first) or control_plane.apply(layout, shipped):
        raise ClusterError(trouble)


def _forget(layout: Layout) -> None:
    """Remove the state of engines that were here before."""
    control_plane.kubectl(layout, "-n", "pratique", "delete", "pvc", "--all", "--timeout=60s")
    control_plane.kubectl(layout, "delete", "pv", "--all", "--timeout=60s")
    shutil.rmtree(layout.state / "volumes", ignore_errors=True)


def secret(name: str, values: dict[str, bytes], kind: str = "Opaque") -> Object:
    """Return a Secret of the engine's namespace."""
    encoded = {key: base64.b64encode(value).decode() for key, value in values.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "pratique"},
        "type": kind,
        "data": encoded,
    }


def _settings(layout: Layout, text: str) -> str:
    """Return the settings with the registry and the digests of the images that the cluster has."""
    document = yaml.safe_load(text)
    known = json.loads(layout.settings())
    document["sandbox"]["kubernetes"] |= {name: known[name] for name in ("registry", "images")}
    document["sandbox"]["pool"] = 1
    # decided by script, without a record of what was displayed
    document["policy"] = {"require_full_review": False, "base": "strict"}
    return yaml.safe_dump(document)


def _volume(layout: Layout, name: str) -> Object:
    """Return a folder of the node as a volume that an engine claims."""
    folder = layout.state / "volumes" / name
    folder.mkdir(parents=True, exist_ok=True)
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["localhost"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "20Gi"},
            "accessModes": ["ReadWriteOnce"],
            "local": {"path": str(folder)},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
        },
    }
