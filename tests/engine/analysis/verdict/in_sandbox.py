"""Runs a watcher and the programs that it watches in a gVisor sandbox of their own, without a network."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

MOST_SECONDS = 300
"""A batch that takes longer is ended; what it has told until then counts."""
_SLACK_SECONDS = 60
_SANDBOX = (
    *("docker", "run", "--rm", "--interactive", "--runtime=runsc", "--network=none", "--cap-drop=ALL"),
    *("--user=65534:65534", "--read-only", "--tmpfs=/tmp:mode=1777,exec", "--memory=3g", "--pids-limit=2000"),
    *("--cpu-shares=64", "--env=LANG=C.UTF-8"),
)


def run(image: str, command: Sequence[str], text: str) -> str:
    """Return what a command writes that reads a text, in a sandbox of an image of this project.

    Raises:
        CalledProcessError: the sandbox did not start.
    """
    limited = ("timeout", "--signal=KILL", str(MOST_SECONDS), *command)
    done = subprocess.run(
        [*_SANDBOX, f"pratique/{image}", *limited],
        input=text, capture_output=True, text=True, timeout=MOST_SECONDS + _SLACK_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode in {125, 126, 127}:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout
