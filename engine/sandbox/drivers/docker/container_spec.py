"""The specification of a container, and the check that a container still matches it. Pure."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from engine.models import Language, Limits
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.guest_protocol.programs import supervisor, task_limit

_HOST_TASKS = 128
"""What gVisor itself needs of the host beside the guest's own."""
_MIB = 1024 * 1024
FIRST_USER = "0:0"
"""The supervisor gives up being root, and its two capabilities, before it does anything else (`start.pl`)."""
SESSION_LABEL = "pratique.session"
"""The image label with the command, as JSON, of its interpreter for sessions."""
COLD_LABEL = "pratique.cold"
"""Where an image may name another command for a sandbox that a run waits for, which skips the preparation."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """The engine that owns a container, as recorded in its labels."""

    engine: str
    machine: str
    """Where the engine lives: a boot of a kernel, and a process namespace of it."""
    process: str
    """The engine's process: number and start time."""

    def labels(self, image: str) -> dict[str, str]:
        """Return the labels of a new container."""
        return {
            "pratique": "1",
            "pratique.engine": self.engine,
            "pratique.machine": self.machine,
            "pratique.process": self.process,
            "pratique.image": image,
            "pratique.created": str(int(time.time())),
        }


def quota(cpus: float) -> dict[str, int]:
    """Return the CPU quota that grants `cpus` cores."""
    return {"CpuPeriod": 100_000, "CpuQuota": max(1000, int(cpus * 100_000))}


def memory(limits: Limits) -> dict[str, int]:
    """Return the memory limit, without swap."""
    return {"Memory": limits.memory_mb * _MIB, "MemorySwap": limits.memory_mb * _MIB}


def host_config(runtime: str, language: Language, limits: Limits, cpus: float) -> dict[str, Any]:
    """Return Docker's HostConfig: nothing of the host, and a bound on everything."""
    tasks = task_limit(language, limits)
    disk = limits.disk_mb * 1024
    scratch = min(256 * 1024, disk // 4)
    return {
        "Runtime": runtime,
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "Tmpfs": {"/workspace": _tmpfs(disk - scratch, 700), "/tmp": _tmpfs(scratch, 1777)},  # noqa: S108
        "CapDrop": ["ALL"],
        "CapAdd": ["CAP_SETGID", "CAP_SETUID"],
        "SecurityOpt": ["no-new-privileges"],
        "LogConfig": {"Type": "none", "Config": {}},
        "IpcMode": "private",
        "ShmSize": 16 * _MIB,
        "PidsLimit": 4 * tasks + _HOST_TASKS,
        "OomScoreAdj": 500,
        "Ulimits": [
            _ulimit("nproc", tasks),
            _ulimit("nofile", 1024),
            _ulimit("fsize", disk * 1024),
            _ulimit("core", 0),
        ],
        **memory(limits),
        **quota(cpus),
    }


def _tmpfs(kib: int, mode: int) -> str:
    return f"rw,nosuid,nodev,noexec,size={kib}k,mode={mode},uid=1000,gid=1000"


def _ulimit(name: str, value: int) -> dict[str, Any]:
    return {"Name": name, "Soft": value, "Hard": value}


def container_config(
    image: dict[str, Any],
    labels: dict[str, str],
    host: dict[str, Any],
    spec: SandboxSpec,
    *,
    marked: bool = False,
) -> dict[str, Any]:
    """Return the body of a create call: the supervisor around the image's own interpreter.

    `marked` says whether lines are marked as they run.
    """
    mounts = _mounts(spec)
    language = spec.language if marked and not spec.session else None
    first = supervisor(session=spec.session, late=spec.late, marked=language)
    host = host | ({"Mounts": mounts} if mounts else {})
    return {
        "Image": image["Id"],
        "Entrypoint": ["/usr/bin/perl", "-e", first, "--"],
        "Cmd": _interpreter(image["Config"], spec),
        "User": FIRST_USER,
        "WorkingDir": "/workspace",
        "Hostname": "sandbox",
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Env": [f"{name}={value}" for name, value in spec.environment.items()],
        "Labels": labels,
        "HostConfig": host,
    }


def _mounts(spec: SandboxSpec) -> list[dict[str, Any]]:
    """Return what Docker mounts; nothing of the image, not even an owner, is copied into a volume."""
    return [
        {
            "Type": "volume",
            "Source": volume,
            "Target": target,
            **({"ReadOnly": True} if read_only else {}),  # Docker leaves out what is false
            "VolumeOptions": {"NoCopy": True},
        }
        for mounts, read_only in ((spec.layers, True), (spec.volumes, False))
        for volume, target in mounts
    ]


def _interpreter(config: dict[str, Any], spec: SandboxSpec) -> list[str]:
    usual = [*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())]
    labels = config.get("Labels") or {}
    named = labels.get(SESSION_LABEL, "[]") if spec.session else None
    if spec.on_demand and not spec.session:
        named = labels.get(COLD_LABEL)
    command: list[str] = json.loads(named) if named else usual
    return command


_VERIFIED_FIELDS = (
    "Runtime", "NetworkMode", "ReadonlyRootfs", "Tmpfs", "CapDrop", "CapAdd", "SecurityOpt", "Memory",
    "PidsLimit",
)  # fmt: skip


def spec_drift(seen: dict[str, Any], image: str, host: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of what differs between a running container and its specification."""
    has = seen["HostConfig"]
    wrong = [name for name in _VERIFIED_FIELDS if has.get(name) != host[name]]
    if (has.get("Mounts") or []) != host.get("Mounts", []):
        wrong.append("Mounts")
    if has.get("Privileged") or has.get("Binds") or has.get("Devices"):
        wrong.append("Binds")
    if seen["Image"] != image:
        wrong.append("Image")
    if not seen["State"]["Running"]:
        wrong.append("State")
    return tuple(wrong)
