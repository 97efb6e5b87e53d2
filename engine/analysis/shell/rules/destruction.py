"""Deleting, overwriting and encrypting."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import CRITICAL, HIGH, LOW, MEDIUM, found, rule
from engine.analysis.shell.expansion import unescaped
from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.values import UNKNOWN
from engine.analysis.shell.working_folder import resolved
from engine.models import Level, Violation

RM_TREE = rule(
    "sh-rm-tree",
    "Deletes a directory tree",
    "fs_delete",
    CRITICAL,
    attack="Destroys the system, a home folder or all accessible files with one command.",
    why=(
        "CRITICAL where the target is a top folder of the machine or a home folder; HIGH in the "
        "system; MEDIUM elsewhere; LOW under /tmp."
    ),
    fix="Delete named files in the workspace.",
    match=(
        "rm -rf /",
        "sudo rm -fr ~",
        "rm --recursive --force /etc",
        "a=rm; $a -r -f $HOME",
        "find / -delete",
        "cd /etc && rm -rf nginx",
        "printf '%s\\0' /home | xargs -0 rm -rf",
    ),
    not_match=(
        "rm file.txt",
        "echo 'rm -rf /'",
        "rm --help",
        "git rm -r --cached x",
    ),
    cwe=73,
)
DELETE_SYSTEM = rule(
    "sh-delete-system-file",
    "Deletes or overwrites a system file",
    "fs_delete",
    HIGH,
    attack="Breaks logins, services or packages by removing files that they need.",
    why="HIGH: the file belongs to the system, and no script needs to remove it.",
    fix="Work on a copy in the workspace.",
    match=(
        "rm /etc/passwd",
        "f=/etc/group; unlink $f",
        "mv /etc/hosts /dev/null",
        "truncate -s 0 /etc/fstab",
    ),
    not_match=(
        "rm -f file.txt",
        "rm /tmp/x",
        "unlink ./link",
    ),
    cwe=73,
)
SHRED = rule(
    "sh-shred",
    "Deletes files beyond recovery",
    "fs_delete",
    MEDIUM,
    attack="Destroys data or evidence for good.",
    why="MEDIUM: secure deletion has legitimate uses, but leaves nothing to investigate.",
    fix="Use rm, or leave the file: the sandbox is destroyed after the run.",
    match=(
        "shred -u secret.txt",
        "wipe -f x",
        "scrub disk.img",
    ),
    not_match=(
        "rm x",
        "man shred",
    ),
    cwe=73,
)
DISK = rule(
    "sh-disk-write",
    "Writes to a disk device or formats it",
    "fs_delete",
    CRITICAL,
    attack="Overwrites the partition table or every block of a disk.",
    why="CRITICAL: the content of the device is lost at once.",
    fix="Write to a file in the workspace.",
    match=(
        "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sdb1",
        "cat x > /dev/nvme0n1",
        "wipefs -a /dev/sda",
    ),
    not_match=(
        "dd if=a of=b",
        "cat /dev/null",
        "ls > /dev/null",
        "mkfs --help",
    ),
    cwe=73,
)
ENCRYPT = rule(
    "sh-encrypt-files",
    "Encrypts files with a passphrase",
    "fs_delete",
    MEDIUM,
    attack="Holds files to ransom: encrypts them, then removes the originals.",
    why="MEDIUM: encryption is common; HIGH for system files.",
    fix="State which files are encrypted for whom, and keep the originals.",
    match=(
        "openssl enc -aes-256-cbc -in a -out b",
        "gpg --batch -c notes.txt",
        "zip -P pw a.zip b",
        "ccencrypt x",
    ),
    not_match=(
        "openssl enc -d -aes-256-cbc -in a",
        "gpg --verify x.sig",
        "zip a.zip b",
        "openssl version",
    ),
    cwe=311,
)


def check(script: Script) -> Iterator[Violation]:
    """Yield what is destroyed."""
    yield from _deletions(script)
    yield from _overwrites(script)
    yield from _disks(script)
    yield from _encryptions(script)


def _deletions(script: Script) -> Iterator[Violation]:
    for command in script.named("rm", "srm", "unlink", "rmdir", "trash", "gio"):
        if "--help" not in command.words and "--version" not in command.words:
            yield from _deletion(script, command)
    for command in script.named("find", "gfind"):
        if "-delete" in command.words:
            start = resolved(script, command, command.words[0])
            yield found(RM_TREE, command, severity=_tree_severity(start))
    for command in script.named("rsync"):
        if any(word.startswith("--delete") for word in command.words):
            yield found(RM_TREE, command, "Deletes files that the source does not have", MEDIUM)
    for command in script.named("shred", "wipe", "scrub", "gshred"):
        yield found(SHRED, command)


def _deletion(script: Script, command: Command) -> Iterator[Violation]:
    recursive = command.has("r", "--recursive") or command.has("R")
    targets = command.operands
    if "xargs" in command.wrappers and (command.upstream or command.feed):
        yield found(RM_TREE, command, "Deletes the files that xargs passes", _passed(command, recursive))
    if recursive and not targets and command.words[-1:] != ["--help"]:
        yield found(RM_TREE, command, "The directory to delete is known only at run time", MEDIUM)
    for target in targets[:16]:
        path = resolved(script, command, target.text)
        if recursive:
            yield found(RM_TREE, command, severity=_tree_severity(path))
        elif is_wiped_elsewhere(path):
            continue
        elif paths.is_system(path) or paths.is_credential(path) or paths.is_persistence(path):
            yield found(DELETE_SYSTEM, command)
        elif path in {"*", "~/*", "/*", "./*", ".*"}:
            yield found(RM_TREE, command, severity=MEDIUM)


def _passed(command: Command, recursive: bool) -> Level:
    """Return how grave it is to delete what xargs reads, as far as the script itself writes that."""
    named = unescaped(given(command)).replace("\0", " ").split()[:64] if recursive else []
    levels = [_tree_severity(paths.normal(name)) for name in named]
    return max((MEDIUM, *levels), key=lambda level: level.rank)


def is_wiped_elsewhere(path: str) -> bool:
    """Return whether deleting a path covers tracks, which has a rule of its own."""
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
