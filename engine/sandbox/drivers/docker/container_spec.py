"""How a sandbox is made: what Docker is told, and how that is checked afterwards. Pure."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from engine.models import Language, Limits

_GUEST = resources.files("engine.sandbox.guest_protocol") / "guest"


def _text(*files: str) -> str:
    return "\n".join((_GUEST / name).read_text() for name in files)


def _first_process(own: str, *, stays: bool) -> str:
    """Return the program of a sandbox's first process: it starts the interpreter, and then reads the rest."""
    rest = _text("common.pl", own)
    return f"my $stays = {int(stays)};\n{_text('start.pl')}\neval <<'THE_REST';\n{rest}\nTHE_REST\ndie $@;\n"


_SUPERVISOR = _first_process("supervisor.pl", stays=False)
_STAYING = _first_process("session.pl", stays=True)
PEEK = "my ( $child, $from_child );\n" + _text("common.pl", "workspace_files.pl")
"""A process that looks at the files of a program that goes on."""
_OWN_TASKS = {Language.PYTHON: 2, Language.SHELL: 2, Language.JAVASCRIPT: 16}
"""What the supervisor and the waiting interpreter need before the code has started anything."""
_HOST_TASKS = 128
"""What gVisor itself needs of the host beside the guest's own."""
_MIB = 1024 * 1024
STAYS_LABEL = "pratique.session"
"""Where an image names the command, as JSON, of its interpreter for sandboxes that stay."""
COLD_LABEL = "pratique.cold"
"""Where an image may name another command for a sandbox that somebody waits for: what prepares nothing."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose a container is, told by its labels."""

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


@dataclass(frozen=True, slots=True)
class Extras:
    """What one grant adds to a sandbox: it is then made for that run, and is no ready one."""

    environment: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[tuple[str, str], ...] = ()
    """Docker volumes and where they are mounted, read-only."""
    makes: tuple[tuple[str, str], ...] = ()
    """Docker volumes that it fills, and where they are mounted."""
    stays: bool = False
    """Whether it stays for many runs, by the image's interpreter for that."""

    def __bool__(self) -> bool:
        return bool(self.environment or self.mounts or self.stays)

    @property
    def mounts(self) -> list[dict[str, Any]]:
        """Return what Docker is to mount; nothing of the image, not even an owner, goes into a volume."""
        return [
            {
                "Type": "volume",
                "Source": volume,
                "Target": target,
                **({"ReadOnly": True} if closed else {}),  # Docker leaves out what is false
                "VolumeOptions": {"NoCopy": True},
            }
            for mounts, closed in ((self.layers, True), (self.makes, False))
            for volume, target in mounts
        ]


NOTHING = Extras()


def task_limit(language: Language, limits: Limits) -> int:
    """Return RLIMIT_NPROC for the guest: what was granted, and what the sandbox itself needs."""
    return limits.processes + _OWN_TASKS[language]


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


def container(
    image: dict[str, Any],
    labels: dict[str, str],
    host: dict[str, Any],
    extras: Extras = NOTHING,
    *,
    cold: bool = False,
) -> dict[str, Any]:
    """Return the body of a create call: the supervisor around the image's own interpreter."""
    host = host | ({"Mounts": extras.mounts} if extras.mounts else {})
    return {
        "Image": image["Id"],
        "Entrypoint": ["/usr/bin/perl", "-e", _STAYING if extras.stays else _SUPERVISOR, "--"],
        "Cmd": _interpreter(image["Config"], stays=extras.stays, cold=cold),
        "User": "1000:1000",
        "WorkingDir": "/workspace",
        "Hostname": "sandbox",
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Env": [f"{name}={value}" for name, value in extras.environment.items()],
        "Labels": labels,
        "HostConfig": host,
    }


def _interpreter(config: dict[str, Any], *, stays: bool, cold: bool) -> list[str]:
    usual = [*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())]
    labels = config.get("Labels") or {}
    named = labels.get(STAYS_LABEL, "[]") if stays else labels.get(COLD_LABEL) if cold else None
    command: list[str] = json.loads(named) if named else usual
    return command


_PROMISED = (
    "Runtime", "NetworkMode", "ReadonlyRootfs", "Tmpfs", "CapDrop", "SecurityOpt", "Memory", "PidsLimit",
)  # fmt: skip


def spec_drift(seen: dict[str, Any], image: str, host: dict[str, Any]) -> tuple[str, ...]:
    """Compare what Docker says of a running container with what was asked; name what differs."""
    has = seen["HostConfig"]
    wrong = [name for name in _PROMISED if has.get(name) != host[name]]
    if (has.get("Mounts") or []) != host.get("Mounts", []):
        wrong.append("Mounts")
    if has.get("Privileged") or has.get("Binds") or has.get("Devices"):
        wrong.append("Binds")
    if seen["Image"] != image:
        wrong.append("Image")
    if not seen["State"]["Running"]:
        wrong.append("State")
    return tuple(wrong)
