"""Go programs, built from unpacked sources with an unpacked compiler, as a busy machine's least task."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.daemons import ClusterError

_NICENESS = 19


@dataclass(frozen=True, slots=True)
class GoBuild:
    """One compiler, and where it finds what it compiles."""

    root: Path
    """The compiler's folder."""
    workspace: Path
    """The GOPATH."""
    cache: Path
    modules: bool = False
    """Whether sources are modules with their dependencies beside them; else they lie in the workspace."""

    def build(self, packages: Sequence[str], output: Path, folder: Path, flags: str = "") -> None:
        """Build packages into a file or a folder. Raises ClusterError."""
        jobs = os.environ.get("JOBS", "2")
        command = ["build", "-p", jobs, "-o", str(output), "-ldflags", f"-s -w {flags}", *packages]
        self.run([str(self.root / "bin" / "go"), *command], folder)

    def run(self, command: Sequence[str], folder: Path) -> None:
        """Run a program with the compiler's environment. Raises ClusterError."""
        environment = os.environ | {
            "GOROOT": str(self.root),
            "GOPATH": str(self.workspace),
            "GOCACHE": str(self.cache),
            "GO111MODULE": "on" if self.modules else "off",
            "GOFLAGS": "-mod=vendor" if self.modules else "",
            "GOPROXY": "off",
            "GOTOOLCHAIN": "local",
            "CGO_ENABLED": "0",
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
        }
        # the working folder by its own name: below a link the compiler looks for the workspace by that
        environment["PWD"] = str(folder)
        done = subprocess.run(
            ["nice", "-n", str(_NICENESS), *command], cwd=folder, env=environment, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise ClusterError(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")
