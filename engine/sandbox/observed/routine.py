"""What programs do without their authors asking for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

INSTALLATION = (
    "/usr/",
    "/lib/",
    "/lib64/",
    "/bin/",
    "/sbin/",
    "/opt/pratique/",
    "/etc/ld.so.",
    "/etc/python3",
)
"""Where languages and their libraries are installed, read-only. Reading there is counted, not listed."""
_PACKAGES = ("/node_modules/",)

_START_READS = frozenset(
    {
        "/", "/dev/null", "/dev/urandom", "/dev/random", "/dev/zero", "/dev/tty",
        "/etc/localtime", "/etc/timezone", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/resolv.conf",
        "/etc/hosts", "/etc/gai.conf", "/etc/services", "/etc/netsvc.conf", "/etc/svc.conf", "/etc/protocols",
        "/etc/ssl/openssl.cnf",
        "/etc/inputrc", "/etc/mime.types", "/etc/apache2/mime.types", "/etc/httpd/mime.types",
        "/etc/locale.alias", "/etc/debian_version", "/etc/os-release", "/etc/lsb-release",
        "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/filesystems", "/proc/version_signature",
        "/proc/self/stat", "/proc/self/statm", "/proc/self/status", "/proc/self/maps", "/proc/self/fd",
        "/proc/self/cgroup", "/proc/self/auxv", "/proc/self/exe", "/proc/self/mountinfo",
        "/proc/self/cmdline", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/osrelease",
        "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/ngroups_max", "/proc/sys/kernel/pid_max",
        "/proc/version", "/workspace", "/workspace/package.json", "/package.json", "/proc/mounts",
    }
)  # fmt: skip
"""What interpreters, libraries of C and look-ups of names read by themselves."""
_START_FOLDERS = ("/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm", "/etc/ssl/certs", "/usr/")
_LOOK_UP_SOCKETS = frozenset({"/var/run/nscd/socket", "/run/nscd/socket", "/dev/log"})
_LOOK_UP = re.compile(r"(?:127\.0\.0\.\d+|\[::1\]):53")
_AUTHORITY = "/tmp/.pratique-trusted.pem"  # noqa: S108  in the guest, which is alone there
"""The authority that clients of a granted or rehearsed network trust."""
_BRIDGE = "127.0.0.1:3128"
"""Where a granted network is reached; the proxy records what was asked of it."""


_ASKS_PROCESSOR = ("/usr/bin/uname", "/bin/uname")
"""What Python's `platform` starts for the name of the processor, such as when pandas is imported."""


def is_routine_program(binary: str, arguments: Sequence[str]) -> bool:
    """Return whether a program is started by a library of the language as it is imported, and only looks."""
    return binary in _ASKS_PROCESSOR and list(arguments) == ["uname", "-p"]


def is_installation(path: str) -> bool:
    """Return whether a path lies in the installation of a language or its packages."""
    return path.startswith((*INSTALLATION, *_PACKAGES))


def is_routine_read(path: str) -> bool:
    """Return whether a read belongs to the start of a program or to a look-up."""
    return (
        path in _START_READS
        or path == _AUTHORITY
        or path.startswith(_START_FOLDERS)
        or path.endswith("/__pycache__")
    )


def is_routine_write(path: str) -> bool:
    """Return whether writing there changes nothing."""
    return path in {"/dev/null", "/dev/tty", "/dev/full", "/dev/stdout", "/dev/stderr"} or path.startswith(
        ("/proc/self/fd/", "/dev/fd/", "pipe:")
    )


def is_routine_address(address: str) -> bool:
    """Return whether connecting there is a look-up of a name, or the way to the proxy of granted hosts."""
    return address in _LOOK_UP_SOCKETS or address == _BRIDGE or _LOOK_UP.fullmatch(address) is not None
