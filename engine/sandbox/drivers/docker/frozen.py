"""Finds sandboxes that an engine left frozen, and ends them without Docker.

A container whose control group is frozen keeps dockerd from starting: its restore waits for it without end.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.sandbox.drivers.docker.container_spec import Ownership
from engine.sandbox.drivers.docker.ownership import orphaned
from engine.sandbox.drivers.docker.watchdog import bundle_of, labels_of
from engine.sandbox.drivers.linux.cgroup import CGROUPS, Cgroup


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
        bundle = bundle_of(str(folder))
        if not bundle:
            continue
        container = bundle.rpartition("/")[2]
        group = Cgroup.of(int(folder.name), container, proc, root)
        labels = labels_of(bundle) if group is not None and group.frozen else {}
        if group is not None and labels.get("pratique") == "1":
            yield FrozenSandbox(container, labels, group)
