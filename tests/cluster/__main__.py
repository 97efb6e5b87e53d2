"""`python -m tests.cluster build|up|down|settings|test|measure|kills|engine|engines`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable

from engine.settings import KubernetesSettings
from tests.cluster import kubernetes_build, lifecycle, shim_build
from tests.cluster.archive import Archive
from tests.cluster.daemons import ClusterError
from tests.cluster.engine_pod import engine
from tests.cluster.engine_pods import engines
from tests.cluster.kills import kills
from tests.cluster.layout import Layout
from tests.cluster.measure import measure
from tests.cluster_sandboxes import CLUSTER

_TOOLS = (
    "etcd-server/trixie", "runsc/trixie", "runc/bookworm", "containernetworking-plugins/trixie",
    "busybox-static/bookworm",
)  # fmt: skip
_TESTS = (
    "tests/conformance/test_sandbox_driver.py",
    "tests/conformance/test_backend.py",
    "tests/cluster/check_deployment.py",
    "tests/cluster/check_full_node.py",
)


def _settings(layout: Layout) -> int:
    print(layout.settings())
    return 0


def _build(layout: Layout) -> int:
    """Build what is missing in the cache: ten minutes or more of CPU the first time."""
    layout.cache.mkdir(parents=True, exist_ok=True)
    tools = layout.cache / "tools"
    programs = (*kubernetes_build.PROGRAMS, shim_build.NAME)
    if tools.exists() and all((layout.cache / "bin" / name).exists() for name in programs):
        return 0
    archive = Archive(layout.cache / "apt")
    archive.update()
    kubernetes_build.build(layout.cache, archive)
    shim_build.build(layout.cache, archive)
    # containerd up to 1.7 speaks what a kubelet before 1.23 asks for
    suite = "trixie" if layout.minor < 26 else "sid"
    archive.unpack(tools, [f"containerd/{suite}", *_TOOLS])
    return 0


def _up(layout: Layout) -> int:
    began = time.monotonic()
    lifecycle.up(layout)
    print(
        f"Kubernetes with gVisor is up after {time.monotonic() - began:.0f} s: {layout.kubeconfig('admin')}"
    )
    return 0


def _down(layout: Layout) -> int:
    lifecycle.down(layout)
    return 0


def _test(layout: Layout) -> int:
    """Run the tests against the cluster, which is ended whatever comes of them."""
    _build(layout)
    try:
        _up(layout)
        environment = os.environ | {CLUSTER: layout.settings()}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-k",
            "kubernetes",
            *_TESTS,
            *sys.argv[2:],
        ]
        tested = subprocess.run(command, check=False, env=environment).returncode
        return tested or _engine(layout) or _engines(layout) or asyncio.run(engines(layout, by_chart=True))
    finally:
        lifecycle.down(layout)


def _measure(layout: Layout) -> int:
    """Measure on a cluster that is up."""
    settings = KubernetesSettings.model_validate_json(layout.settings())
    asyncio.run(measure(settings, int(sys.argv[2]) if len(sys.argv) > 2 else 10))
    return 0


def _kills(layout: Layout) -> int:
    """Kill what belongs to a cluster that is up, under load."""
    return asyncio.run(kills(layout, int(sys.argv[2]) if len(sys.argv) > 2 else 200))


def _engine(layout: Layout) -> int:
    """Run the engine in a Pod of a cluster that is up."""
    return asyncio.run(engine(layout))


def _engines(layout: Layout) -> int:
    """Run two engines over one PostgreSQL in Pods of a cluster that is up, by the manifests or the chart."""
    return asyncio.run(engines(layout, by_chart="chart" in sys.argv[2:]))


COMMANDS: dict[str, Callable[[Layout], int]] = {
    "build": _build,
    "settings": _settings,
    "up": _up,
    "down": _down,
    "test": _test,
    "measure": _measure,
    "kills": _kills,
    "engine": _engine,
    "engines": _engines,
}


def main() -> int:
    """Run one command; return the exit code."""
    command = COMMANDS.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if command is None:
        print(f"Type: python -m tests.cluster {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        return command(Layout.usual())
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
