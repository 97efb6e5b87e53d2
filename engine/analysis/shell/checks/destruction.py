"""Deleting, overwriting, encrypting and switching off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import CRITICAL, HIGH, LOW, MEDIUM, found
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.rules.destruction import (
    DELETE_SYSTEM,
    DISK,
    ENCRYPT,
    POWER,
    RM_TREE,
    SERVICE_STOP,
    SHRED,
)
from engine.analysis.shell.values import UNKNOWN
from engine.models import Level, Violation

_POWER = {"shutdown", "reboot", "halt", "poweroff", "telinit"}
_PROTECT = re.compile(
    r"syslog|journald|audit|ufw|firewall|iptables|nftables|apparmor|selinux|fail2ban|falcon|crowdstrike"
    r"|carbonblack"
    r"|clam|ossec|wazuh|osquery|falco|sysmon|mdatp|sophos|sentinel|cbdaemon|cbagent|aide|rkhunter|snort"
    r"|suricata"
    r"|defender|esets|mcafee|symantec|opendns|pf\b|chkrootkit|tripwire|auditbeat|filebeat|splunk|eset"
    r"|bitdefender|littlesnitch"
    r"|oversight|lulu|knockknock|blockblock|santa|jamf"
)


def is_protection(name: str) -> bool:
    """Say whether a service watches or protects the machine."""
    return bool(_PROTECT.search(name.lower()))


def check(script: Script) -> Iterator[Violation]:
    """Yield what is destroyed."""
    yield from _deletions(script)
    yield from _overwrites(script)
    yield from _disks(script)
    yield from _encryptions(script)
    yield from _stops(script)


def _deletions(script: Script) -> Iterator[Violation]:
    for command in script.named("rm", "srm", "unlink", "rmdir", "trash", "gio"):
        if "--help" not in command.words and "--version" not in command.words:
            yield from _deletion(command)
    for command in script.named("find", "gfind"):
        if "-delete" in command.words:
            start = paths.normal(command.words[0])
            yield found(RM_TREE, command, severity=_tree_severity(start))
    for command in script.named("rsync"):
        if any(word.startswith("--delete") for word in command.words):
            yield found(RM_TREE, command, "Deletes what the source does not have", MEDIUM)
    for command in script.named("shred", "wipe", "scrub", "gshred"):
        yield found(SHRED, command)


def _deletion(command: Command) -> Iterator[Violation]:
    recursive = command.has("r", "--recursive") or command.has("R")
    targets = command.operands
    if "xargs" in command.wrappers and (command.upstream or command.feed):
        yield found(RM_TREE, command, "Deletes what it is handed", MEDIUM)
    if recursive and not targets and command.words[-1:] != ["--help"]:
        yield found(RM_TREE, command, "The tree to delete is only known when the code runs", MEDIUM)
    for target in targets[:16]:
        path = paths.normal(target.text)
        if recursive:
            yield found(RM_TREE, command, severity=_tree_severity(path))
        elif is_wiped_elsewhere(path):
            continue
        elif paths.is_system(path) or paths.is_credential(path) or paths.is_persistence(path):
            yield found(DELETE_SYSTEM, command)
        elif path in {"*", "~/*", "/*", "./*", ".*"}:
            yield found(RM_TREE, command, severity=MEDIUM)


def is_wiped_elsewhere(path: str) -> bool:
    """Say whether deleting a path covers tracks, which has a rule of its own."""
    return paths.is_log(path) or paths.is_history(path)


def _tree_severity(path: str) -> Level:
    if paths.is_scratch(path):
        return LOW
    if paths.is_top(path):
        return CRITICAL
    if path.startswith(UNKNOWN) or not (paths.is_system(path) or paths.is_root(path)):
        return MEDIUM
    return HIGH


def _overwrites(script: Script) -> Iterator[Violation]:
    for command in script.named("mv"):
        operands = command.operands
        if (
            len(operands) > 1
            and (operands[-1].text == "/dev/null" or _foreign(operands[:-1]))
            and (
                any(paths.is_system(paths.normal(arg.text)) for arg in operands[:-1])
                or operands[-1].text == "/dev/null"
            )
        ):
            yield found(DELETE_SYSTEM, command)
    for command in script.named("truncate"):
        if any(paths.is_system(p) and not paths.is_log(p) for p in map(paths.normal, command.words)):
            yield found(DELETE_SYSTEM, command)


def _foreign(args: list[Arg]) -> bool:
    return any(paths.is_system(paths.normal(arg.text)) for arg in args)


def _disks(script: Script) -> Iterator[Violation]:
    for command in script.named("dd", "gdd"):
        if any(word.startswith("of=") and paths.is_device(paths.normal(word[3:])) for word in command.words):
            yield found(DISK, command)
    for command in script.commands:
        formats = command.name.startswith("mkfs") or command.name in _DISK_TOOLS
        if (
            formats
            and not command.own
            and any(paths.is_device(word) or UNKNOWN in word for word in command.words)
        ):
            yield found(DISK, command)
    for redirect in script.redirects:
        if redirect.writes and paths.is_device(paths.normal(redirect.target.text)):
            yield DISK.violation(redirect.span, f"Writes to {redirect.target.text}")


_DISK_TOOLS = {
    "wipefs", "blkdiscard", "mke2fs", "mkswap", "sgdisk", "sfdisk", "parted", "fdisk", "badblocks", "hdparm",
    "cryptsetup", "nvme", "diskutil", "newfs", "gpart", "pvremove", "vgremove", "lvremove", "mkdosfs",
    "shred", "tee",
}  # fmt: skip


def _encryptions(script: Script) -> Iterator[Violation]:
    for command in script.commands:
        if not command.own and _encrypts(command):
            system = any(paths.is_system(paths.normal(word)) for word in command.words)
            yield found(ENCRYPT, command, severity=HIGH if system else None)


def _encrypts(command: Command) -> bool:
    name, words = command.name, command.words
    if name == "openssl":
        return (
            words[:1] in (["enc"], ["rsautl"], ["smime"])
            and "-d" not in words
            and not {"-base64", "-a"} & set(words[1:2])
        )
    if name in {"gpg", "gpg2"} or (name == UNKNOWN and "--cipher-algo" in words):
        return command.has("c", "--symmetric", "--encrypt", "-e") and not command.has(
            "", "--decrypt", "-d", "--verify"
        )
    if name == "zip":
        return command.option("-P", "--password") is not None or command.has("e", "--encrypt")
    if name in {"7z", "7za", "7zr", "rar"}:
        return words[:1] == ["a"] and any(word.startswith(("-p", "-hp")) for word in words)
    if name == UNKNOWN:
        return any("ccencrypt" in step.text.text for step in command.evidence)
    return name in {"ccencrypt", "ccrypt", "mcrypt", "age", "aescrypt"} and "-d" not in words


def _stops(script: Script) -> Iterator[Violation]:
    for command in script.commands:
        if command.own:
            continue
        if (command.name in _POWER and not {"--help", "-c"} & set(command.words)) or (
            command.name == "init" and command.words[:1] in (["0"], ["6"])
        ):
            yield found(POWER, command)
    for command in script.named("systemctl", "service", "launchctl", "sysrc", "rc-service", "initctl", "sc"):
        words = command.words
        if command.name == "systemctl" and {
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "rescue",
            "emergency",
        } & set(words):
            yield found(POWER, command)
        elif {"stop", "disable", "mask", "kill", "isolate"} & set(words) and not is_protection(
            " ".join(words)
        ):
            yield found(SERVICE_STOP, command)
    for redirect in script.redirects:
        if redirect.writes and redirect.target.text == "/proc/sysrq-trigger":
            yield POWER.violation(redirect.span, "Writes to /proc/sysrq-trigger")
