"""The host's Node.js, if it is of a version that tests can use."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache


@cache
def node() -> tuple[str, int]:
    """Return the command and the major version of Node.js; version 0 where there is none."""
    path = shutil.which("node")
    if path is None:
        return "", 0
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "", 0
    version = re.match(r"v(\d+)\.", done.stdout)
    return path, int(version[1]) if version else 0
