"""Facts about the machine that decide how it is set up."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from engine.common.errors import Problem


class SetupError(Problem):
    """A setup step is impossible or was declined."""

    def __init__(self, title: str, *, hint: str) -> None:
        super().__init__(503, title, hint=hint)


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts that decide how software is installed."""

    root: bool
    sudo: bool
    apt: bool
    systemd: bool
    distribution: str
    """The id of os-release: `debian`, `ubuntu`, `fedora` …"""
    release: int
    """The release number, 0 if unknown."""
    architecture: str
    """As the kernel names it: `x86_64`, `aarch64`."""
    apparmor: bool = False
    """Whether the kernel enforces AppArmor, which makes Docker need its parser."""


def detect_machine() -> Machine:
    """Return the facts about this machine."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    number = release.get("VERSION_ID", "").split(".")[0]
    return Machine(
        root=os.geteuid() == 0,
        sudo=shutil.which("sudo") is not None,
        apt=shutil.which("apt-get") is not None,
        systemd=Path("/run/systemd/system").is_dir(),
        distribution=release.get("ID", ""),
        release=int(number) if number.isdecimal() else 0,
        architecture=platform.machine(),
        apparmor=_is_enabled(Path("/sys/module/apparmor/parameters/enabled")),
    )


def _is_enabled(path: Path) -> bool:
    try:
        return path.read_text().strip() == "Y"
    except OSError:
        return False
