"""Accounts, privileges, the kernel and the host outside a container."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.command_patterns import by_name, has_arguments, matches, pattern
from engine.analysis.shell.declare import HIGH, MEDIUM, found, rule
from engine.analysis.shell.file_access import written
from engine.analysis.shell.flow import is_interpreter
from engine.analysis.shell.model import Script
from engine.models import Violation

ACCOUNT = rule(
    "sh-account",
    "Creates or changes an account",
    "persistence",
    HIGH,
    attack="Creates a way back in, or takes over a trusted user.",
    why="HIGH: only administrators manage accounts.",
    fix="Leave accounts alone.",
    match=(
        "useradd -m evil",
        "sudo usermod -aG sudo x",
        "echo 'x:y' | chpasswd",
        "passwd root",
        "chsh -s /bin/bash nobody",
        "dscl . -create /Users/x",
        "net user x y /add",
    ),
    not_match=(
        "id",
        "cat /etc/passwd",
        "getent passwd",
        "passwd --help",
    ),
    cwe=269,
)


PRIVILEGE = rule(
    "sh-privilege",
    "Raises its own rights, or those of a file",
    "persistence",
    HIGH,
    attack="Makes any user root: through sudoers, setuid files or capabilities.",
    why="HIGH: these rights outlive the run; MEDIUM for a shell that keeps its file's rights.",
    fix="Request the permission.",
    match=(
        "chmod u+s /tmp/x",
        "chmod 4755 x",
        "setcap cap_setuid+ep x",
        "echo 'x ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers",
        "install -m 4755 a b",
        "chmod g+s x",
        "bash -p",
    ),
    not_match=(
        "chmod +x a",
        "chmod 755 a",
        "sudo ls",
        "getcap a",
    ),
    cwe=269,
)


KERNEL = rule(
    "sh-kernel-module",
    "Loads or unloads a kernel module",
    "persistence",
    HIGH,
    attack="Hides in the kernel, where no tool on the machine can see it (rootkit).",
    why="HIGH: a module has every right; gVisor refuses it.",
    fix="Remove it.",
    match=(
        "insmod x.ko",
        "sudo modprobe diamorphine",
        "kextload a.kext",
        "rmmod x",
        "kldload x",
    ),
    not_match=(
        "lsmod",
        "modinfo x",
        "echo insmod",
    ),
    cwe=506,
)


ESCAPE = rule(
    "sh-host-access",
    "Accesses the host outside its container, or the disks of the machine",
    "escape",
    HIGH,
    attack="Mounts the host's files or joins its processes, as root.",
    why=("HIGH: these options remove the isolation of a container; the isolation of gVisor remains."),
    fix="Remove it.",
    match=(
        "docker run -v /:/mnt --rm -it alpine sh",
        "docker run --privileged x",
        "nsenter -t 1 -m -u -i -n sh",
        "mount /dev/sda1 /mnt",
        "sudo chroot /mnt /bin/bash",
    ),
    not_match=("docker run --rm alpine ls", "mount", "docker ps"),
    cwe=250,
)


_SETUID = r"(?:0?[2467][0-7]{3}|[ugoa]*[+=][rwxX]*s[rwxXst]*|\S*,?[ugo]+\+s)(?!\S)"


_ACCOUNTS = (
    "useradd adduser usermod userdel deluser groupadd groupmod addgroup gpasswd chpasswd passwd chsh chfn"
    " newusers vipw vigr ldapadd ldapmodify sysadminctl dsenableroot dseditgroup pwunconv smbpasswd kadmin"
    " kadmin.local samba-tool lchsh luseradd chage homectl"
)

_O = r"(?<!\S)"

_PATTERNS = by_name(
    pattern(ACCOUNT, _ACCOUNTS, unwanted=r"^(?:-S|--status)"),
    pattern(ACCOUNT, "defaults", r"write.*(?:Hide500Users|HiddenUsersList|autoLoginUser)"),
    pattern(ACCOUNT, "dscl", r"-?\b(?:create|append|passwd|delete|change|merge)\b"),
    pattern(ACCOUNT, "pw", r"\b(?:user|group)?(?:add|mod|del)\b|\b(?:un)?lock\b|\buser\b"),
    pattern(ACCOUNT, "net net.exe", r"\b(?:user|localgroup)\b.*/add"),
    pattern(PRIVILEGE, "chmod gchmod", _O + _SETUID),
    pattern(PRIVILEGE, "install", r"(?:-m\s*|--mode[= ])" + _SETUID),
    pattern(PRIVILEGE, "sh bash dash zsh ksh", r"^-[a-oq-z]*p\w*(?:\s|$)", severity=MEDIUM),
    pattern(PRIVILEGE, "setcap", test=has_arguments),
    pattern(PRIVILEGE, "visudo", unwanted=_O + "-c"),
    pattern(ESCAPE, "docker podman nerdctl", r"(?:-v|--volume)[ =]?/:|--privileged|--pid[= ]host"
          r"|--cap-add[= ](?:ALL|SYS_)|docker\.sock|--mount \S*source=/,"),
    pattern(ESCAPE, "nsenter", r"(?:-t|--target)[ =]?1\b"),
    pattern(ESCAPE, "mount",
          r"/dev/(?:sd|vd|nvme|xvd)|(?<!\S)-o \S*(?:bind|remount,(?:rw|exec|suid|dev)\b)|cgroup"),
    pattern(ESCAPE, "mknod", r"(?:^|\s)[bcu] +\d+ +\d+"),
    pattern(KERNEL, "insmod kextload kldload kmutil rmmod kextunload kldunload dkms", test=has_arguments),
    pattern(KERNEL, "modprobe", r"\w", unwanted=r"(?:^|\s)(?:-n|--dry-run|--show-depends|-c)(?:\s|$)"),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield what raises privileges or leaves the container."""
    yield from matches(script, _PATTERNS)
    for target in written(script):
        if paths.is_privilege(paths.normal(target.path)):
            yield PRIVILEGE.violation(target.span, f"Writes {target.shown}", evidence=target.evidence)
    for command in script.commands:
        enters = "nsenter" in command.wrappers
        if not command.own and (enters or ("chroot" in command.wrappers and is_interpreter(command.name))):
            yield found(ESCAPE, command)
