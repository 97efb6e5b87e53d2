"""A Docker of the tests' own, which they may kill."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

GONE_SECONDS = 30.0


class Daemon:
    """A second dockerd with folders of its own, which a test may kill.

    Its network is its own too: without a bridge, dockerd removes that of the machine's Docker.
    """

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "docker.sock"
        self._log = folder / "log"
        self.containerd = folder / "exec/containerd/containerd.pid"
        self._command = [
            "unshare", "--net", "dockerd",
            "--config-file", str(folder / "daemon.json"), "--data-root", str(folder / "data"),
            "--exec-root", str(folder / "exec"), "--pidfile", str(folder / "pid"),
            "--host", f"unix://{self.socket}", "--bridge", "none", "--iptables=false", "--ip6tables=false",
        ]  # fmt: skip
        runtime = {"path": shutil.which("runsc"), "runtimeArgs": ["--network=none"]}
        (folder / "daemon.json").write_text(json.dumps({"runtimes": {"runsc": runtime}}))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, without waiting."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, start_new_session=True)

    def kill(self) -> None:
        """End it as a crash would; its containerd ends with it.

        Where nobody collects that process, the next dockerd would take its number for a living one.
        """
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self.containerd.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ask it to end, and wait."""
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()

    async def answers(self, seconds: float = 60) -> None:
        """Wait until it answers. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not await asyncio.to_thread(self._ok):
                await asyncio.sleep(0.2)

    def _ok(self) -> bool:
        command = ["docker", "--host", f"unix://{self.socket}", "version"]
        try:
            return subprocess.run(command, check=False, capture_output=True, timeout=3).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def load(self, image: str) -> None:
        """Copy an image from the usual Docker."""
        command = ["docker", "--host", f"unix://{self.socket}", "load"]
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
            subprocess.run(command, stdin=saved.stdout, check=True, capture_output=True, timeout=120)


def left_by(folder: Path) -> list[int]:
    """Return the processes of a daemon's containers: runtime, shims and containerd name its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes()
            if os.fsencode(folder) in words and any(name in words for name in (b"runsc", b"containerd")):
                found.append(int(process.name))
    return found


def remove(folder: Path) -> None:
    """End what a daemon left running, and remove its folder and what is mounted there."""
    end = time.monotonic() + GONE_SECONDS
    while (left := left_by(folder)) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in sorted(mounted, reverse=True):
        if place.startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", place], check=True)
    shutil.rmtree(folder, ignore_errors=True)
