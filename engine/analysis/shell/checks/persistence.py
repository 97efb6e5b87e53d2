"""Staying: what is run again later, and who may do more afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import CRITICAL, LOW, MEDIUM, found
from engine.analysis.shell.file_access import Touched, written
from engine.analysis.shell.flow import is_interpreter
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.rules.persistence import (
    ACCOUNT,
    ESCAPE,
    HIJACK,
    KERNEL,
    PRIVILEGE,
    SCHEDULE,
    SERVICE,
    STARTUP,
    TRAP,
)
from engine.analysis.shell.shapes import busy, by_name, matches, shape
from engine.models import Level, Violation

_O = r"(?<!\S)"
_SETUID = r"(?:0?[2467][0-7]{3}|[ugoa]*[+=][rwxX]*s[rwxXst]*|\S*,?[ugo]+\+s)(?!\S)"
_ACCOUNTS = (
    "useradd adduser usermod userdel deluser groupadd groupmod addgroup gpasswd chpasswd passwd chsh chfn"
    " newusers vipw vigr ldapadd ldapmodify sysadminctl dsenableroot dseditgroup pwunconv smbpasswd kadmin"
    " kadmin.local samba-tool lchsh luseradd chage homectl"
)
_PRELOADS = {
    "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND", "PYTHONSTARTUP",
}  # fmt: skip
_MODULE = re.compile(r"(?:^|\s)-(?:-require|-import|-loader|-experimental-loader|r|I|M|d|javaagent|agent)")
_LOADERS = {
    "NODE_OPTIONS": _MODULE, "RUBYOPT": _MODULE, "PERL5OPT": _MODULE, "PERL5DB": re.compile("."),
    "JAVA_TOOL_OPTIONS": _MODULE, "_JAVA_OPTIONS": _MODULE,
    "LD_LIBRARY_PATH": re.compile(r"^(?:\.(?:[:/]|$)|/tmp|/var/tmp|/dev/shm)"),
    "ENV": re.compile(r"^(?:\.{0,2}/|~)\S+$"), "GCONV_PATH": re.compile("."),
}  # fmt: skip
_GUARDED = {"sudo", "su", "passwd", "ssh", "login", "doas", "gpg", "kinit"}
_DANGEROUS = re.compile(
    r"\b(?:rm\s+-\w*[rf]|curl|wget|nc|ncat|bash\s+-[ic]|sh\s+-c|/dev/tcp|dd\s+|mkfs|eval|base64|python|perl"
    r"|shutdown)"
)


def _fed(command: Command) -> bool:
    redirected = any(redirect.operator == "<" for redirect in command.redirects)
    return bool(command.upstream) or command.feed is not None or redirected


_SHAPES = by_name(
    shape(SCHEDULE, "crontab", r"(?:^|\s)(?:-r|-|[^-\s]\S*)$", unwanted=r"^-u \S+$"),
    shape(SCHEDULE, "crontab", test=lambda c: not c.args and _fed(c)),
    shape(SCHEDULE, "at batch", test=lambda c: _fed(c) or c.has("f")),
    shape(SCHEDULE, "schtasks schtasks.exe", r"(?i)/create"),
    shape(SCHEDULE, "systemd-run", test=busy),
    shape(TRAP, "trap", r"\bnohup\b|&\s*$|\bdisown\b|^[^ ]*\s*&"),
    shape(TRAP, "trap", _DANGEROUS.pattern, unwanted=r"\brm\s+-"),
    shape(SERVICE, "systemctl", r"\b(?:enable|link|preset|reenable|edit|set-property)\b"),
    shape(SERVICE, "launchctl", r"\b(?:load|bootstrap|submit|enable|kickstart)\b"),
    shape(SERVICE, "update-rc.d chkconfig rc-update", r"\b(?:defaults|enable|on|add)\b|--add"),
    shape(SERVICE, "loginctl", r"\benable-linger\b"),
    shape(SERVICE, "kickstart", r"-activate\b"),
    shape(SERVICE, "systemsetup", r"(?i)-setremote\w+ on\b"),
    shape(SERVICE, "profiles", r"\b-?install\b|(?<!\S)-I\b"),
    shape(SERVICE, "sysrc", r"(?i)enable=\"?yes"),
    shape(SERVICE, "defaults", r"write.*(?:Hook|AutoLaunched|LoginItem)"),
    shape(SERVICE, "sc sc.exe sfltool", r"\b(?:create|add-item)\b"),
    shape(SERVICE, "systemctl service", r"\b(?:start|restart|daemon-reload)\b", severity=LOW),
    shape(ACCOUNT, _ACCOUNTS, unwanted=r"^(?:-S|--status)"),
    shape(ACCOUNT, "defaults", r"write.*(?:Hide500Users|HiddenUsersList|autoLoginUser)"),
    shape(ACCOUNT, "dscl", r"-?\b(?:create|append|passwd|delete|change|merge)\b"),
    shape(ACCOUNT, "pw", r"\b(?:user|group)?(?:add|mod|del)\b|\b(?:un)?lock\b|\buser\b"),
    shape(ACCOUNT, "net net.exe", r"\b(?:user|localgroup)\b.*/add"),
    shape(PRIVILEGE, "chmod gchmod", _O + _SETUID),
    shape(PRIVILEGE, "install", r"(?:-m\s*|--mode[= ])" + _SETUID),
    shape(PRIVILEGE, "sh bash dash zsh ksh", r"^-[a-oq-z]*p\w*(?:\s|$)", severity=MEDIUM),
    shape(PRIVILEGE, "setcap", test=busy),
    shape(PRIVILEGE, "visudo", unwanted=_O + "-c"),
    shape(HIJACK, "enable", _O + "-f"),
    shape(HIJACK, "git", r"\bconfig\b.*(?:core\.(?:hooksPath|sshCommand|pager|fsmonitor)|alias\.\S+ !)",
          severity=MEDIUM),
    shape(ESCAPE, "docker podman nerdctl", r"(?:-v|--volume)[ =]?/:|--privileged|--pid[= ]host"
          r"|--cap-add[= ](?:ALL|SYS_)|docker\.sock|--mount \S*source=/,"),
    shape(ESCAPE, "nsenter", r"(?:-t|--target)[ =]?1\b"),
    shape(ESCAPE, "mount",
          r"/dev/(?:sd|vd|nvme|xvd)|(?<!\S)-o \S*(?:bind|remount,(?:rw|exec|suid|dev)\b)|cgroup"),
    shape(ESCAPE, "mknod", r"(?:^|\s)[bcu] +\d+ +\d+"),
    shape(KERNEL, "insmod kextload kldload kmutil rmmod kextunload kldunload dkms", test=busy),
    shape(KERNEL, "modprobe", r"\w", unwanted=r"(?:^|\s)(?:-n|--dry-run|--show-depends|-c)(?:\s|$)"),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield what makes the script stay or rise."""
    for target in written(script):
        yield from _startup(target)
    yield from matches(script, _SHAPES)
    for command in script.commands:
        if not command.own:
            if "systemd-run" in command.wrappers:
                yield found(SCHEDULE, command)
            if "nsenter" in command.wrappers or (
                "chroot" in command.wrappers and is_interpreter(command.name)
            ):
                yield found(ESCAPE, command)
            yield from _hijacks(command)
    for name, value, _ in script.assignments:
        yield from _hooks(script, name, value)


def _startup(target: Touched) -> Iterator[Violation]:
    path = paths.normal(target.path)
    severity: Level | None = None
    if paths.is_privilege(path):
        rule = PRIVILEGE
    elif paths.is_persistence(path) and not paths.is_defence(path):
        rule = STARTUP
        if path.endswith(("ld.so.preload", "authorized_keys")):
            severity = CRITICAL
        elif target.command is not None and target.command.name in {"nano", "vi", "vim", "emacs"}:
            severity = MEDIUM
    else:
        return
    yield rule.violation(target.span, f"Writes {target.shown}", evidence=target.evidence, severity=severity)


def _hijacks(command: Command) -> Iterator[Violation]:
    for name, value in command.assigned:
        if _preloads(name, value):
            yield found(HIJACK, command, f"Sets {name}")
    for arg in command.args if command.name == "alias" else ():
        name, equals, body = arg.text.partition("=")
        shadows = name in _GUARDED and body.split()[:1] != [name]
        if equals and (shadows or _DANGEROUS.search(body)):
            yield found(HIJACK, command)


def _preloads(name: str, value: str) -> bool:
    """Say whether a variable makes programs load, or run, something else first."""
    pattern = _LOADERS.get(name)
    return bool(value) and (name in _PRELOADS or (pattern is not None and bool(pattern.search(value))))


def _hooks(script: Script, name: str, value: Arg) -> Iterator[Violation]:
    if name != "PATH" and name not in _PRELOADS and name not in _LOADERS:
        return
    span = script.tree.span_of(value.start, value.end)
    if _preloads(name, value.text):
        yield HIJACK.violation(span, f"Sets {name}")
    elif name == "PATH":
        first = value.text.split(":")[0]
        if first in {".", "", "/tmp", "/dev/shm", "/var/tmp"} or first.startswith(
            ("/tmp/", "/dev/shm/", "./")
        ):
            yield HIJACK.violation(span, f"The search path begins with {first or '.'}", severity=MEDIUM)
