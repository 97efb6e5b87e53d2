"""What kind of machine this is, as far as setting it up is concerned."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from engine.common.errors import Problem


class SetupError(Problem):
    """A step of the set-up is not possible, or was refused."""

    def __init__(self, title: str, *, hint: str) -> None:
        super().__init__(503, title, hint=hint)


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts that decide how things are installed here."""

    root: bool
    sudo: bool
    apt: bool
    systemd: bool
    distribution: str
    """The id of os-release: `debian`, `ubuntu`, `fedora` …"""
    release: int
    """Debian's number, 0 where it has none."""
    architecture: str
    """As the kernel names it: `x86_64`, `aarch64`."""
    apparmor: bool = False
    """Whether the kernel enforces AppArmor, so that Docker needs its parser."""


def look() -> Machine:
    """Look at the machine that this runs on."""
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
        apparmor=_says_yes(Path("/sys/module/apparmor/parameters/enabled")),
    )


def _says_yes(path: Path) -> bool:
    try:
        return path.read_text().strip() == "Y"
    except OSError:
        return False
