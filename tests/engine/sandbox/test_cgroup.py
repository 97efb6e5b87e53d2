"""Control groups of version 1 and 2."""

from __future__ import annotations

from pathlib import Path

from engine.sandbox.drivers.linux.cgroup import Cgroup


def test_version_1_files_are_read(tmp_path: Path) -> None:
    """CPU, memory, peak, tasks, kills and task limit come from the folders of the controllers."""
    files = {
        "memory/b/memory.usage_in_bytes": "100", "memory/b/memory.max_usage_in_bytes": "200",
        "memory/b/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        "cpuacct/b/cpuacct.usage": "1500000000", "pids/b/pids.current": "7", "pids/b/pids.events": "max 3\n",
    }  # fmt: skip
    _write(tmp_path, files | {"proc/5/cgroup": "4:memory:/b\n3:cpu,cpuacct:/b\n2:pids:/b\n0::/\n"})
    group = Cgroup.of(5, "b", tmp_path / "proc", tmp_path)
    assert group is not None
    usage = group.read()
    assert usage is not None
    assert (1.5, 100, 200, 7, 2, 3) == (
        usage.cpu_seconds, usage.memory, usage.memory_peak,
        usage.tasks, usage.oom_kills, usage.pids_limit_hits,
    )  # fmt: skip


def test_version_2_files_are_read_and_written(tmp_path: Path) -> None:
    """One folder has all files; the engine tracks the peak if the kernel does not."""
    files = {
        "b/memory.current": "100", "b/memory.events": "low 0\noom 1\noom_kill 1\n", "b/pids.current": "7",
        "b/cpu.stat": "usage_usec 2500000\nuser_usec 1\n", "b/pids.events": "max 0\n",
    }  # fmt: skip
    _write(tmp_path, files | {"proc/5/cgroup": "0::/b\n"})
    group = Cgroup.of(5, "b", tmp_path / "proc", tmp_path)
    assert group is not None
    first = group.read()
    _write(tmp_path, {"b/memory.current": "60"})
    second = group.read()
    assert first is not None
    assert second is not None
    assert (2.5, 100, 60, 100, 1) == (
        first.cpu_seconds, first.memory, second.memory, second.memory_peak, second.oom_kills,
    )  # fmt: skip
    assert group.limit(64 * 2**20, 0.5)
    assert ("67108864", "50000 100000") == (
        (tmp_path / "b/memory.max").read_text(), (tmp_path / "b/cpu.max").read_text(),
    )  # fmt: skip


def test_a_missing_or_shared_group_is_none(tmp_path: Path) -> None:
    """A process in the root group of the host is not a sandbox: it is neither read, paused nor killed."""
    _write(tmp_path, {"proc/5/cgroup": "0::/\n", "memory.current": "1"})
    _write(tmp_path, {"proc/7/cgroup": "0::/other\n", "other/memory.current": "1"})
    assert Cgroup.of(7, "b", tmp_path / "proc", tmp_path) is None
    assert Cgroup.of(5, "b", tmp_path / "proc", tmp_path) is None
    assert Cgroup.of(6, "b", tmp_path / "proc", tmp_path) is None


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
