"""Finds sandboxes that an engine left frozen, and ends them without Docker.

A container whose control group is frozen keeps dockerd from starting: its restore waits for it without end.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.ownership import orphaned
from engine.sandbox.drivers.linux.cgroup import CGROUPS, Cgroup

_BUNDLE = b"--bundle="
_CONTAINER = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FrozenSandbox:
    """A sandbox of an engine whose control group is frozen."""

    container: str
    labels: dict[str, str]
    group: Cgroup

    def end(self) -> None:
        """Resume it and kill its processes: frozen ones would not die."""
        self.group.pause(False)
        for pid in self.group.pids():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def end_orphans(own: Ownership) -> tuple[str, ...]:
    """End every frozen sandbox that no running engine owns; return their ids."""
    found = [sandbox for sandbox in frozen_sandboxes() if orphaned(sandbox.labels, own)]
    for sandbox in found:
        sandbox.end()
    return tuple(sandbox.container for sandbox in found)


def frozen_sandboxes(proc: Path = Path("/proc"), root: Path = CGROUPS) -> tuple[FrozenSandbox, ...]:
    """Return the frozen sandboxes of all engines on this host, as far as they can be read."""
    return tuple(_frozen(proc, root))


def _frozen(proc: Path, root: Path) -> Iterator[FrozenSandbox]:
    for folder in proc.glob("[0-9]*"):
        bundle = _bundle(folder)
        if bundle is None:
            continue
        group = Cgroup.of(int(folder.name), bundle.name, proc, root)
        labels = _labels(bundle) if group is not None and group.frozen else {}
        if group is not None and labels.get("pratique") == "1":
            yield FrozenSandbox(bundle.name, labels, group)


def _bundle(process: Path) -> Path | None:
    """Return the OCI bundle of gVisor's process of a container, or None for any other process."""
    try:
        name, *words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    named = [Path(os.fsdecode(word.removeprefix(_BUNDLE))) for word in words if word.startswith(_BUNDLE)]
    own = name.endswith(b"runsc-sandbox") and len(named) == 1 and _CONTAINER.fullmatch(named[0].name)
    return named[0] if own else None


def _labels(bundle: Path) -> dict[str, str]:
    """Return the labels of a container from the files that Docker mounts into it, without asking Docker."""
    ending = f"/containers/{bundle.name}/hostname"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        mounts: list[dict[str, Any]] = json.loads((bundle / "config.json").read_text())["mounts"]
        sources = [Path(one["source"]) for one in mounts if str(one.get("source", "")).endswith(ending)]
        config = json.loads((sources[0].parent / "config.v2.json").read_text()) if sources else {}
        return {str(name): str(value) for name, value in config["Config"]["Labels"].items()}
    return {}
