"""The manifest of a sandbox's Pod. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.models import Limits
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.guest_protocol.programs import supervisor, task_limit
from engine.settings import KubernetesSettings

CONTAINER = "sandbox"
MANAGED_LABEL, ENGINE_LABEL, PROCESS_LABEL = "pratique", "pratique.engine", "pratique.process"
SPARE_LABEL = "pratique.spare"
"""On Pods that were made before anything needed them: until they run they give way to all others."""
_LIFETIME_SECONDS = 24 * 3600
"""The cluster ends a Pod after this time, whatever became of its engine."""
_GRACE_SECONDS = 1
_LOG_BYTES = "256Mi"
"""What the node keeps of a Pod's output, which it rotates; beyond it the Pod is evicted."""
_START = """\
unset KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS
tcp=KUBERNETES_PORT_443_TCP; unset $tcp ${{tcp}}_ADDR ${{tcp}}_PORT ${{tcp}}_PROTO
ulimit -p {tasks}; ulimit -n 1024; ulimit -f {blocks}; ulimit -c 0
exec "$@"
"""
"""What Kubernetes has no field for: limits of processes, and an environment without the cluster's address."""


@dataclass(frozen=True, slots=True)
class PodOwner:
    """The engine's process that owns a Pod, as recorded in its labels and its owner reference."""

    engine: str
    process: str
    config_map: str = ""
    config_map_uid: str = ""

    def labels(self) -> dict[str, str]:
        """Return the labels of what this process creates."""
        return {MANAGED_LABEL: "1", ENGINE_LABEL: self.engine, PROCESS_LABEL: self.process}

    def references(self) -> list[dict[str, Any]]:
        """Return the owner references: with the ConfigMap, the cluster removes what it owns."""
        reference = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": self.config_map,
            "uid": self.config_map_uid,
        }
        return [reference] if self.config_map_uid else []


@dataclass(frozen=True, slots=True)
class PodRequest:
    """One Pod to create."""

    name: str
    image: str
    """Its reference, with its digest."""
    interpreter: Sequence[str]
    spec: SandboxSpec
    marked: bool = False
    """Whether lines are marked as they run."""
    owner: PodOwner = field(default_factory=lambda: PodOwner("", ""))


def manifest(request: PodRequest, settings: KubernetesSettings) -> dict[str, Any]:
    """Return the body of a create call: the supervisor around the image's own interpreter."""
    owner = request.owner
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": request.name,
            "namespace": settings.namespace,
            "labels": owner.labels() | ({SPARE_LABEL: "1"} if request.spec.spare else {}),
            "ownerReferences": owner.references(),
        },
        "spec": _pod(request, settings),
    }


def _pod(request: PodRequest, settings: KubernetesSettings) -> dict[str, Any]:
    secrets = [{"name": settings.image_pull_secret}] if settings.image_pull_secret else []
    return {
        "runtimeClassName": settings.runtime_class,
        "restartPolicy": "Never",
        "hostname": "sandbox",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "activeDeadlineSeconds": _LIFETIME_SECONDS,
        "nodeSelector": dict(settings.node_selector),
        "imagePullSecrets": secrets,
        "securityContext": {
            "fsGroup": 1000,
            "supplementalGroups": [],
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(request, settings)],
        "volumes": [
            _volume("workspace", _workspace_kib(request.spec.limits)),
            _volume("tmp", _scratch_kib(request.spec.limits)),
        ],
    }


def _container(request: PodRequest, settings: KubernetesSettings) -> dict[str, Any]:
    spec = request.spec
    language = spec.language if request.marked and not spec.session else None
    first = supervisor(session=spec.session, late=spec.late, marked=language, asked=True)
    return {
        "name": CONTAINER,
        "image": request.image,
        "imagePullPolicy": "IfNotPresent",
        "command": [
            *map(_literal, ("/bin/sh", "-c", start_script(spec), "sh", "/usr/bin/perl", "-e", first, "--"))
        ],
        "args": [*map(_literal, request.interpreter)],
        "env": [{"name": name, "value": _literal(value)} for name, value in spec.environment.items()],
        "workingDir": "/workspace",
        "stdin": True,
        "stdinOnce": True,
        "resources": resources(spec.limits, settings.requested_share),
        "securityContext": security_context(),
        "volumeMounts": [
            {"name": "workspace", "mountPath": "/workspace"},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108
        ],
    }


def start_script(spec: SandboxSpec) -> str:
    """Return the program that sets the limits of processes, and becomes the supervisor."""
    return _START.format(tasks=task_limit(spec.language, spec.limits), blocks=spec.limits.disk_mb * 2048)


def security_context() -> dict[str, Any]:
    """Return what the Pod may do: all of `restricted`, but for the supervisor's start as root.

    It has two capabilities, with which it becomes another user than the program, and gives them up first.
    """
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "privileged": False,
        "runAsUser": 0,
        "runAsGroup": 0,
        "capabilities": {"drop": ["ALL"], "add": ["SETGID", "SETUID"]},
    }


def resources(limits: Limits, share: float) -> dict[str, dict[str, str]]:
    """Return limits as granted, and the share of them that the scheduler reserves."""
    cpu, memory = max(1, int(limits.cpus * 1000)), limits.memory_mb
    return {
        "limits": {"cpu": f"{cpu}m", "memory": f"{memory}Mi", "ephemeral-storage": _LOG_BYTES},
        "requests": {
            "cpu": f"{max(1, int(cpu * share))}m",
            "memory": f"{max(1, int(memory * share))}Mi",
            "ephemeral-storage": "1Mi",
        },
    }


def _scratch_kib(limits: Limits) -> int:
    return min(256 * 1024, limits.disk_mb * 1024 // 4)


def _workspace_kib(limits: Limits) -> int:
    return limits.disk_mb * 1024 - _scratch_kib(limits)


def _volume(name: str, kib: int) -> dict[str, Any]:
    """Return a volume in memory: its size is enforced at once, while one on disk only leads to eviction."""
    return {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": f"{kib}Ki"}}


def _literal(value: str) -> str:
    """Return text in which Kubernetes replaces nothing: `$(NAME)` would be a variable, `$$` one dollar."""
    return value.replace("$", "$$")
