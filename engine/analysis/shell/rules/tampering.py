"""Hiding changes to files, disguising programs, and checking for a sandbox."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.command_patterns import by_name, has_arguments, matches, pattern, touches
from engine.analysis.shell.declare import HIGH, MEDIUM, rule
from engine.analysis.shell.file_access import written
from engine.analysis.shell.flow import SHELLS, is_interpreter
from engine.analysis.shell.model import Command, Script
from engine.models import Confidence, Violation

TIMES = rule(
    "sh-timestomp",
    "Falsifies time stamps",
    "defense_evasion",
    MEDIUM,
    attack="Makes new files look old, so that the changes are not noticed.",
    why="MEDIUM: build scripts do it too; HIGH where the clock of the machine is set.",
    fix="Keep the time stamps of files.",
    match=(
        "touch -t 197001010000 x",
        "touch -r /bin/ls x",
        "touch -d '2 years ago' x",
        "date -s '2001-01-01'",
        "date 010100001971",
    ),
    not_match=(
        "touch x",
        "date +%s",
        "date -d yesterday",
        'date "+%F"',
    ),
    cwe=778,
)
ATTRIBUTES = rule(
    "sh-loose-rights",
    "Loosens the permissions of files, or changes their owner",
    "defense_evasion",
    MEDIUM,
    attack="Opens files to everyone, or takes them over, before changing them.",
    why="MEDIUM: in a workspace it is mostly careless; HIGH for system files.",
    fix="Give only the owner the required permission.",
    match=(
        "chmod 777 a",
        "chmod -R 755 x",
        "chmod a+w f",
        "chown root:root f",
        "chattr -i /etc/passwd",
        "xattr -d user.note a",
        "chmod o+w f",
        "setfacl -m u:x:rwx f",
    ),
    not_match=(
        "chmod +x a",
        "chmod 600 a",
        "chmod u+w a",
        "chown $USER a",
        "lsattr",
    ),
    cwe=732,
)
SANDBOX = rule(
    "sh-sandbox-check",
    "Checks for monitoring or a virtual machine",
    "defense_evasion",
    MEDIUM,
    attack="Behaves well in a sandbox and maliciously elsewhere.",
    why="MEDIUM: installers check too; HIGH where the names of virtual machines are searched for.",
    fix="Remove it.",
    match=(
        "systemd-detect-virt",
        "sudo dmidecode | grep -i vmware",
        "csrutil status",
        "grep -q hypervisor /proc/cpuinfo",
        "cat /proc/1/cgroup",
        "sysctl -n hw.model",
        "ls /.dockerenv",
        "[ -f /.dockerenv ]",
    ),
    not_match=(
        "uname",
        "lscpu",
        "cat /proc/loadavg",
    ),
    cwe=693,
)
MASQUERADE = rule(
    "sh-masquerade",
    "Hides a program or a file behind a misleading name",
    "defense_evasion",
    HIGH,
    attack=(
        "Uses a name that reviewers overlook: dots, spaces, a false extension, or a shell under another name."
    ),
    why=(
        "HIGH: the name serves only to mislead; MEDIUM for a dot file in a temporary folder"
        " and for a link to, or a copy of, another program."
    ),
    fix="Use plain names.",
    match=(
        "mkdir ~/...",
        "cp /bin/sh /tmp/svc",
        "sh image.png",
        "./report.pdf.sh",
        "cp $(which bash) x",
        "mkdir '.. '",
        "mkdir 'a '",
        "mv /bin/ls /bin/ls.bak",
    ),
    not_match=(
        "mkdir ~/.cache",
        "cp a b",
        "sh a.sh",
        "./run.sh",
        "mv a.sh b.sh",
    ),
    cwe=451,
)
PADDING = rule(
    "sh-padding",
    "Pads a program with meaningless bytes",
    "defense_evasion",
    MEDIUM,
    attack=("Changes the size and the checksum of a known program, so that scanners do not recognise it."),
    why="MEDIUM: tests enlarge files too; HIGH where bytes are appended to a file that exists.",
    fix="Keep binaries as they were built.",
    match=(
        "dd if=/dev/zero bs=1 count=1 >> a.bin",
        "truncate -s +1 a.bin",
        "head -c 100 /dev/urandom >> a",
    ),
    not_match=(
        "dd if=a of=b",
        "truncate -s 10M disk.img",
    ),
    cwe=506,
    confidence=Confidence.MEDIUM,
)

_O = r"(?<!\S)"
_OWNER = _O + r"(?:-\w*R|--recursive|root\b|0:)"
_OPEN_MODE = _O + r"(?:0?[0-7]?[0-7]{2}[2367]|[ugoa]*[oa][ugoa]*[+=]\w*w\w*|\+\w*w\w*|a?[+=]rwx)(?!\S)"
_VM_NAMES = (
    r"(?i)vmware|virtualbox|vbox|qemu|\bkvm\b|\bxen\b|hyper-?v|parallels|hypervisor|dockerenv|/proc/1/cgroup"
    r"|hw\.model|gvisor|product_name|/sys/class/dmi"
)
_MAKERS = re.compile(r"vmware|virtualbox|vbox|qemu|xen|hyper-?v|parallels|bochs|innotek")
_VM_TOOLS = "grep egrep cat lspci lsmod sysctl ioreg system_profiler lscpu ls test dmesg hostnamectl"
_OPAQUE = re.compile(
    r"\.(?:png|jpe?g|gif|pdf|docx?|xlsx?|txt|mp[34]|ico|bmp|csv|svg|zip|log|dat)$", re.IGNORECASE
)
_DOUBLE = re.compile(
    r"\.(?:pdf|docx?|xlsx?|png|jpe?g|gif|txt|mp[34]|zip|csv)"
    r"\.(?:sh|py|pl|elf|exe|bin|js|run|command|app|scr)$",
    re.IGNORECASE,
)
_HIDDEN_TEMPORARY = re.compile(r"/(?:var/tmp|tmp|dev/shm)/\.[\w-]")
_HIDDEN = re.compile(r"(?:^|/)(?:\.\.\.+|\.{1,2}\s+|[^/]*\s)(?:/|$)")


def _searches_machines(command: Command) -> bool:
    """Return whether the makers of several virtual machines are searched for in one pattern."""
    return (
        command.name in {"grep", "egrep", "fgrep", "rg"}
        and len(set(_MAKERS.findall(command.text.lower()))) > 1
    )


def _copies_program(command: Command) -> bool:
    operands = [arg.text for arg in command.operands]
    if len(operands) < 2:
        return False
    name = operands[0].rsplit("/", 1)[-1]
    return is_interpreter(name) or bool(re.match(r"/(?:usr/)?s?bin/[\w.-]+$", operands[0]))


def _copies_shell(command: Command) -> bool:
    last = len(command.operands) if command.option("-t", "--target-directory") else -1
    installed = (arg for arg in command.operands[:last] if arg.text[:1] == "/" or "output" in arg.taints)
    return any(arg.text.rsplit("/", 1)[-1] in SHELLS for arg in installed)


def _runs_opaque(command: Command) -> bool:
    return any(_OPAQUE.search(arg.text) for arg in command.operands[:1]) and not command.has("c")


def _appends(command: Command) -> bool:
    appended = any(redirect.operator.endswith(">>") for redirect in command.redirects)
    return appended or "conv=notrunc" in command.words


def _hidden_name(command: Command) -> bool:
    return any(_HIDDEN.search(arg.text) for arg in command.operands)


def _is_machine(path: str) -> bool:
    return paths.is_system(path) and not path.startswith(("/var/www", "/srv", "/opt", "/app"))


_system = touches(_is_machine)
_NOISE = r"/dev/(?:zero|u?random)"
_PATTERNS = by_name(
    pattern(TIMES, "touch gtouch", _O + r"-\w*[tdrA]|--(?:date|reference|time)"),
    pattern(TIMES, "date gdate", _O + r"(?:-s|--set)|^\d{8,12}(?:\.\d\d)?$", severity=HIGH),
    pattern(TIMES, "timedatectl hwclock", r"set-|--set|-w|--systohc", severity=HIGH),
    pattern(TIMES, "SetFile setfile", _O + "-(?:d|m)"),
    pattern(ATTRIBUTES, "chmod gchmod", _OPEN_MODE, test=lambda c: not _system(c)),
    pattern(ATTRIBUTES, "chmod gchmod", _OPEN_MODE, test=_system, severity=HIGH),
    pattern(ATTRIBUTES, "chmod gchmod", _O + r"(?:-\w*R|--recursive)", unwanted=_OPEN_MODE),
    pattern(ATTRIBUTES, "chown chgrp", _OWNER, test=lambda c: not _system(c)),
    pattern(ATTRIBUTES, "chown chgrp", _OWNER, test=_system, severity=HIGH),
    pattern(ATTRIBUTES, "chattr", _O + r"[-+]\w*[iaA]"),
    pattern(ATTRIBUTES, "chflags setfacl icacls takeown cacls", test=has_arguments),
    pattern(ATTRIBUTES, "xattr", _O + r"-\w*[dwcl]", unwanted=r"-\w*d.*quarantine"),
    pattern(SANDBOX, "systemd-detect-virt virt-what dmidecode imvirt kvm-ok"),
    pattern(SANDBOX, "csrutil", "status"),

    pattern(SANDBOX, _VM_TOOLS, _VM_NAMES, test=lambda c: not _searches_machines(c)),
    pattern(SANDBOX, "grep egrep fgrep rg", _VM_NAMES, test=_searches_machines, severity=HIGH),
    pattern(MASQUERADE, "mkdir touch cp mv ln", test=_hidden_name),
    pattern(MASQUERADE, "cp mv install", test=_copies_shell),
    pattern(MASQUERADE, "cp mv", test=lambda c: _copies_program(c) and not _copies_shell(c), severity=MEDIUM),
    pattern(MASQUERADE, "ln", test=_copies_program, severity=MEDIUM),
    pattern(MASQUERADE, " ".join(SHELLS), test=_runs_opaque),
    pattern(MASQUERADE, "SetFile setfile", _O + "-a"),
    pattern(PADDING, "truncate gtruncate", r"(?:-s\s*|--size[= ])\+\d"),
    pattern(PADDING, "dd gdd head tail", _NOISE, test=_appends, severity=HIGH),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield what is altered or disguised."""
    yield from matches(script, _PATTERNS)
    for command in script.commands:
        path = command.program.text
        if not command.own and (
            _DOUBLE.search(path) or "/.../" in path or (path.endswith(" ") and path.strip())
        ):
            yield MASQUERADE.violation(command.span, command.line, evidence=command.evidence)
    for target in written(script):
        if _HIDDEN_TEMPORARY.match(paths.normal(target.path)):
            message = f"Writes {target.shown}"
            yield MASQUERADE.violation(target.span, message, evidence=target.evidence, severity=MEDIUM)
    text = script.tree.text
    if "/.dockerenv" in text:
        at = text.index("/.dockerenv")
        yield SANDBOX.violation(script.tree.lines.span(at, at + 11), "Looks for /.dockerenv")
