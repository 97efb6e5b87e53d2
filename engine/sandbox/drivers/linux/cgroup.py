"""Reads and limits the resources of a sandbox through its control group, version 1 or 2."""

from __future__ import annotations

import re
from pathlib import Path

from engine.sandbox.api.driver import ResourceUsage

_PERIOD = 100_000
CGROUPS = Path("/sys/fs/cgroup")
_USED = ("memory", "cpu", "cpuacct", "pids", "freezer")
_NONE: dict[str, int] = {}


class Cgroup:
    """The control group of one sandbox."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders
        self._peak = 0

    @classmethod
    def of(cls, pid: int, container: str, proc: Path = Path("/proc"), root: Path = CGROUPS) -> Cgroup | None:
        """Return the control group of a container's process, or None if it is not on this host.

        The group must name the container: the process id may be one of a remote Docker host.
        """
        try:
            lines = (proc / str(pid) / "cgroup").read_text().splitlines()
        except OSError:
            return None
        folders = _folders(lines, root)
        foreign = any(container not in folder.name for folder in folders.values())
        return cls(folders) if not foreign and "memory" in folders else None

    def read(self) -> ResourceUsage | None:
        """Return the current usage, or None once the group is gone."""
        try:
            usage = self._version_2() if "unified" in self._folders else self._version_1()
        except (OSError, ValueError, IndexError):
            return None
        self._peak = max(self._peak, usage.memory, usage.memory_peak)
        return ResourceUsage(
            usage.cpu_seconds, usage.memory, self._peak, usage.tasks, usage.oom_kills, usage.pids_limit_hits
        )

    @property
    def frozen(self) -> bool:
        """Whether its tasks are paused, or are about to be."""
        try:
            if "unified" in self._folders:
                return (self._folders["unified"] / "cgroup.freeze").read_text().strip() == "1"
            return (self._folders["freezer"] / "freezer.state").read_text().strip() != "THAWED"
        except (OSError, KeyError):
            return False

    def pause(self, paused: bool) -> bool:
        """Pause or resume every task; return whether that was possible. Resuming takes about 0.2 ms."""
        try:
            if "unified" in self._folders:
                (self._folders["unified"] / "cgroup.freeze").write_text("1" if paused else "0")
            else:
                (self._folders["freezer"] / "freezer.state").write_text("FROZEN" if paused else "THAWED")
        except (OSError, KeyError):
            return False
        return True

    def limit(self, memory: int, cpus: float) -> bool:
        """Set the memory limit (bytes, no swap) and the CPU quota (cores); return whether they are in force.

        Docker's `update` needs a command of the runtime that runsc lacks.
        """
        try:
            for path, value in self._limit_files(memory, cpus):
                path.write_text(value)
        except OSError:
            return False
        return self.limited(memory, cpus)

    def limited(self, memory: int, cpus: float) -> bool:
        """Return whether the group exists and has these limits."""
        try:
            return all(path.read_text().strip() == value for path, value in self._limit_files(memory, cpus))
        except OSError:
            return False

    def _limit_files(self, memory: int, cpus: float) -> list[tuple[Path, str]]:
        quota = max(1000, int(cpus * _PERIOD))
        folder = self._folders.get("unified")
        if folder is not None:
            return [(folder / "memory.max", str(memory)), (folder / "cpu.max", f"{quota} {_PERIOD}")]
        bytes_now = self._folders["memory"] / "memory.limit_in_bytes"
        with_swap = self._folders["memory"] / "memory.memsw.limit_in_bytes"
        files = [(bytes_now, str(memory))]
        if with_swap.exists():
            grows = memory > _number(bytes_now)
            files.insert(0 if grows else 1, (with_swap, str(memory)))
        return [*files, (self._folders["cpu"] / "cpu.cfs_quota_us", str(quota))]

    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the sandbox on this host."""
        folder = self._folders.get("unified") or self._folders["memory"]
        try:
            return tuple(int(line) for line in (folder / "cgroup.procs").read_text().split())
        except (OSError, ValueError):
            return ()

    def _version_1(self) -> ResourceUsage:
        memory, pids = self._folders["memory"], self._folders["pids"]
        return ResourceUsage(
            cpu_seconds=_number(self._folders["cpuacct"] / "cpuacct.usage") / 1e9,
            memory=_number(memory / "memory.usage_in_bytes"),
            memory_peak=_number(memory / "memory.max_usage_in_bytes"),
            tasks=_number(pids / "pids.current"),
            oom_kills=_table(memory / "memory.oom_control").get("oom_kill", 0),
            pids_limit_hits=_table(pids / "pids.events").get("max", 0),
        )

    def _version_2(self) -> ResourceUsage:
        folder = self._folders["unified"]
        return ResourceUsage(
            cpu_seconds=_table(folder / "cpu.stat").get("usage_usec", 0) / 1e6,
            memory=_number(folder / "memory.current"),
            memory_peak=_number(folder / "memory.peak") if (folder / "memory.peak").exists() else 0,
            tasks=_number(folder / "pids.current"),
            oom_kills=_table(folder / "memory.events").get("oom_kill", 0),
            pids_limit_hits=_table(folder / "pids.events").get("max", 0),
        )


def _folders(lines: list[str], root: Path) -> dict[str, Path]:
    """Read /proc/PID/cgroup: `7:memory:/docker/x` in version 1, `0::/docker/x` in version 2."""
    found = {}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers:
            for name in controllers.split(","):
                found[name] = root / name / path.lstrip("/")
    known = {name: folder for name, folder in found.items() if name in _USED and folder.is_dir()}
    if "memory" in known:
        return known
    unified = [line[3:] for line in lines if line.startswith("0::")]
    if not unified:
        return {}
    folder = root / unified[0].lstrip("/")
    return {"unified": folder, "memory": folder} if (folder / "memory.current").exists() else {}


def _number(path: Path) -> int:
    return int(path.read_text())


def _table(path: Path) -> dict[str, int]:
    found = re.findall(r"^(\w+) (\d+)$", path.read_text(), re.MULTILINE)
    return {name: int(value) for name, value in found} if found else _NONE
