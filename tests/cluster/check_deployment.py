"""The manifests and the chart before a real API server, and the engine's doctor on a cluster that has them.

Only `python -m tests.cluster test` collects this file.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.setup import cluster_checks
from tests.cluster import control_plane, shipped
from tests.cluster.layout import Layout
from tests.cluster_sandboxes import cluster, on_cluster
from tests.deployment.manifests import Object, chart, manifests, understood


def several() -> list[Object]:
    """Return what `kubectl apply -k deploy/kubernetes-several` applies."""
    return shipped.made(Layout.usual(), "kubernetes-several")


@pytest.mark.parametrize("made", [manifests, chart, several])
def test_kubernetes_takes_what_ships(made: Callable[[], list[Object]]) -> None:
    """A server-side dry run accepts each object: fields, types, names, Pod templates."""
    layout = Layout.usual()
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "pratique"}}
    assert "" == control_plane.apply(layout, [namespace])
    objects = understood(made(), layout.minor)
    assert "" == control_plane.apply(layout, objects, "--dry-run=server")


def test_doctor_on_kubernetes_finds_nothing_wrong() -> None:
    """The shipped role is enough for every right that the doctor asks about, and gVisor is proved."""
    settings = cluster()
    assert settings is not None
    rows = cluster_checks.rows(on_cluster(settings))
    assert [] == [(row.name, row.detail.text) for row in rows if not row.ok]
    assert {"kubernetes", "rights", "gvisor"} <= {row.name for row in rows}
