"""The manifest of a Pod, and what counts as a difference from it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from engine import images
from engine.models import Language, Limits
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.api.errors import ImageMissing
from engine.sandbox.drivers.kubernetes.image_catalog import ImageCatalog, parse_commands
from engine.sandbox.drivers.kubernetes.pod_drift import drift, quantity
from engine.sandbox.drivers.kubernetes.pod_spec import PodOwner, PodRequest, manifest, resources
from engine.settings import KubernetesSettings

DIGEST = f"sha256:{'a' * 64}"
SETTINGS = KubernetesSettings(registry="registry.example.org/pratique", images={"shell": DIGEST})
REFERENCE = f"registry.example.org/pratique/shell@{DIGEST}"
Pod = dict[str, Any]


def made(**changes: Any) -> Pod:
    """Return the manifest of a Pod for shell code."""
    spec = SandboxSpec(DIGEST, Language.SHELL, Limits(memory_mb=128, cpus=0.5, disk_mb=8), **changes)
    owner = PodOwner("engine", "process", "owner", "uid")
    return manifest(PodRequest("sandbox-1", REFERENCE, ("bash", "run"), spec, owner=owner), SETTINGS)


def running() -> Pod:
    """Return it as the API server describes it once it runs."""
    seen = copy.deepcopy(made())
    state = {"state": {"running": {}}, "restartCount": 0, "imageID": REFERENCE}
    seen["status"] = {"phase": "Running", "containerStatuses": [state]}
    return seen


def test_a_pod_has_nothing_of_its_cluster_or_node() -> None:
    """No token, no services, no host, nothing writable but memory; it cannot restart or gain rights."""
    spec = made()["spec"]
    container = spec["containers"][0]
    assert ("gvisor", "Never", False, False) == (
        spec["runtimeClassName"], spec["restartPolicy"], spec["automountServiceAccountToken"],
        spec["enableServiceLinks"],
    )  # fmt: skip
    assert not {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"} & set(spec)
    assert ["Memory", "Memory"] == [one["emptyDir"]["medium"] for one in spec["volumes"]]
    assert ["6144Ki", "2048Ki"] == [one["emptyDir"]["sizeLimit"] for one in spec["volumes"]]
    rights = container["securityContext"]
    assert (False, True, ["ALL"], ["SETGID", "SETUID"]) == (
        rights["allowPrivilegeEscalation"], rights["readOnlyRootFilesystem"],
        rights["capabilities"]["drop"], rights["capabilities"]["add"],
    )  # fmt: skip
    assert REFERENCE == container["image"]


def test_a_spare_pod_is_labelled() -> None:
    """One that something needs is not."""
    labels = [made(spare=spare)["metadata"]["labels"].get("pratique.spare") for spare in (True, False)]
    assert ["1", None] == labels


def test_limits_are_granted_and_a_share_is_reserved() -> None:
    """The scheduler reserves a share; the limit is the grant."""
    found = resources(Limits(memory_mb=200, cpus=0.5), 0.25)
    assert ("500m", "200Mi") == (found["limits"]["cpu"], found["limits"]["memory"])
    assert ("125m", "50Mi") == (found["requests"]["cpu"], found["requests"]["memory"])


def test_a_value_of_the_environment_is_taken_literally() -> None:
    """Kubernetes would replace `$(NAME)`: each dollar is doubled."""
    (variable,) = made(environment={"A": "$(B) $$"})["spec"]["containers"][0]["env"]
    assert {"name": "A", "value": "$$(B) $$$$"} == variable


def test_its_owner_is_the_engines_process() -> None:
    """The cluster removes it with its owner; labels say whose it is."""
    metadata = made()["metadata"]
    assert "engine" == metadata["labels"]["pratique.engine"]
    assert [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "uid"}] == metadata[
        "ownerReferences"
    ]


def test_a_pod_that_runs_as_asked_does_not_differ() -> None:
    """Also where the node names the image by another id than its digest."""
    assert () == drift(running(), made())
    seen = running()
    seen["status"]["containerStatuses"][0]["imageID"] = f"sha256:{'c' * 64}"
    assert () == drift(seen, made())


def _container(seen: Pod) -> Pod:
    container: Pod = seen["spec"]["containers"][0]
    return container


CHANGES: dict[str, Callable[[Pod], object]] = {
    "runtimeClassName": lambda seen: seen["spec"].pop("runtimeClassName"),
    "hostNetwork": lambda seen: seen["spec"].update(hostNetwork=True),
    "shareProcessNamespace": lambda seen: seen["spec"].update(shareProcessNamespace=True),
    "automountServiceAccountToken": lambda seen: seen["spec"].update(automountServiceAccountToken=True),
    "initContainers": lambda seen: seen["spec"].update(initContainers=[{"name": "mesh"}]),
    "ephemeralContainers": lambda seen: seen["spec"].update(ephemeralContainers=[{"name": "debugger"}]),
    "volumes": lambda seen: seen["spec"]["volumes"].append({"name": "token"}),
    "containers": lambda seen: seen["spec"]["containers"].append({"name": "sidecar"}),
    "image": lambda seen: _container(seen).update(image="other"),
    "command": lambda seen: _container(seen).update(command=["sh"]),
    "env": lambda seen: _container(seen).update(env=[{"name": "LD_PRELOAD", "value": "x"}]),
    "volumeMounts": lambda seen: _container(seen)["volumeMounts"].append({"name": "x", "mountPath": "/x"}),
    "securityContext.privileged": lambda seen: _container(seen)["securityContext"].update(privileged=True),
    "cpu": lambda seen: _container(seen)["resources"]["limits"].pop("cpu"),
    "memory": lambda seen: _container(seen)["resources"]["limits"].update(memory="9Gi"),
    "phase": lambda seen: seen["status"].update(phase="Failed"),
    "container": lambda seen: seen["status"]["containerStatuses"][0].update(
        imageID=f"registry.example.org/pratique/shell@sha256:{'b' * 64}"
    ),
}


@pytest.mark.parametrize("named", CHANGES)
def test_what_somebody_changed_is_named(named: str) -> None:
    """A webhook's sidecar, a debugging container, other rights, another image: each is a difference."""
    seen = running()
    CHANGES[named](seen)
    assert named in drift(seen, made())


def test_amounts_are_compared_and_not_their_spelling() -> None:
    """The server writes amounts in its own way; what is no amount equals none."""
    assert quantity("1024Mi") == quantity("1Gi") == quantity("1073741824")
    assert quantity("1000m") == quantity("1")
    assert [None] * 4 == [quantity(text) for text in (None, "", "Mi", "1Xi")]


def test_programs_reach_the_container_as_they_are() -> None:
    """Kubernetes makes one dollar of two, and Perl means both: each is doubled."""
    program = made()["spec"]["containers"][0]["command"][6]
    assert "$$$$" in program
    assert "$" not in program.replace("$$", "")


def test_images_are_named_by_digest_only() -> None:
    """A name leads to its digest, a digest to what a node pulls; what the settings do not name is missing."""
    catalog = ImageCatalog(SETTINGS)
    assert (DIGEST, REFERENCE) == (catalog.digest("pratique/shell"), catalog.reference(DIGEST))
    with pytest.raises(ImageMissing, match="no digest of 'node'"):
        catalog.digest("pratique/node")
    with pytest.raises(ImageMissing):
        catalog.reference(f"sha256:{'0' * 64}")


def test_the_commands_of_shipped_images_are_read() -> None:
    """Every shipped image has a usual command; those for sessions and cold starts are what its labels say."""
    found = {one.name: parse_commands((one.folder / "Dockerfile").read_text()) for one in images.shipped()}
    assert all("usual" in commands for commands in found.values())
    assert ("python3", "-I", "-u", "/opt/pratique/runner.py", "now") == found["python"]["cold"]
    assert {"node", "notebook", "shell"} == {
        name for name, commands in found.items() if "session" in commands
    }
