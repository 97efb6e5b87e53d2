"""Rules: deleting, overwriting, encrypting and switching off."""

from __future__ import annotations

from engine.analysis.shell.declare import CONSUMPTION, CRITICAL, HIGH, MEDIUM, rule

RM_TREE = rule(
    "sh-rm-tree",
    "Deletes a whole tree",
    "fs_delete",
    CRITICAL,
    attack="Destroys the system, a home folder or everything in reach with one command.",
    why=(
        "CRITICAL where the target is a main folder of the machine or a home; HIGH inside "
        "the system; MEDIUM elsewhere; LOW under /tmp."
    ),
    fix="Delete named files inside the workspace.",
    match=(
        "rm -rf /",
        "sudo rm -fr ~",
        "rm --recursive --force /etc",
        "a=rm; $a -r -f $HOME",
        "find / -delete",
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
    "Deletes or overwrites a file of the system",
    "fs_delete",
    HIGH,
    attack="Breaks logins, services or packages by removing the files they need.",
    why="HIGH: the file belongs to the machine, and no snippet needs it gone.",
    fix="Work on a copy inside the workspace.",
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
    "Deletes so that nothing can be recovered",
    "fs_delete",
    MEDIUM,
    attack="Destroys data or evidence beyond recovery.",
    why="MEDIUM: secure deletion has honest uses, but leaves nothing to investigate.",
    fix="Use rm, or leave the file: the sandbox is destroyed anyway.",
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
    "Writes to a disk or formats it",
    "fs_delete",
    CRITICAL,
    attack="Overwrites the partition table or every block of a disk.",
    why="CRITICAL: what a raw device held is gone at once.",
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
    why="MEDIUM: encryption is common; HIGH where the files belong to the system.",
    fix="Say which files are encrypted for whom, and keep the originals.",
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
POWER = rule(
    "sh-power",
    "Switches the machine off or restarts it",
    "fs_delete",
    HIGH,
    attack="Ends every other work on the machine.",
    why="HIGH: no snippet needs to stop its host.",
    fix="Exit instead.",
    match=(
        "shutdown -h now",
        "sudo reboot",
        "echo b > /proc/sysrq-trigger",
        "systemctl poweroff",
        "init 0",
    ),
    not_match=(
        "echo reboot",
        "man shutdown",
        "shutdown --help",
        "git init 0",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
SERVICE_STOP = rule(
    "sh-service-stop",
    "Stops or disables a service",
    "fs_delete",
    MEDIUM,
    attack="Takes down what others depend on.",
    why="MEDIUM: HIGH is kept for services that watch or protect.",
    fix="Leave services alone.",
    match=(
        "systemctl stop cron",
        "service nginx stop",
        "sudo systemctl disable --now docker",
    ),
    not_match=(
        "systemctl status cron",
        "service nginx status",
        "systemctl list-units",
    ),
    cwe=400,
)
GIT = rule(
    "sh-git-destructive",
    "Throws away work kept by git",
    "fs_delete",
    MEDIUM,
    attack="Loses commits, branches or uncommitted changes, here or on the remote.",
    why=("MEDIUM: much can be recovered from the reflog, but not uncommitted changes or a shared branch."),
    fix="Commit or stash first; use --force-with-lease.",
    match=(
        "git reset --hard",
        "git push --force origin main",
        "git clean -fdx",
        "git branch -D x",
        "git stash clear",
        "git checkout -- .",
        "sudo git -C x reset --hard",
    ),
    not_match=(
        "git status",
        "git push origin main",
        "git reset --soft HEAD~1",
        "git checkout -b x",
        "git branch -d x",
    ),
    cwe=73,
)
DATA_DROP = rule(
    "sh-data-drop",
    "Deletes databases, volumes or cloud resources",
    "fs_delete",
    MEDIUM,
    attack="Destroys data that is kept outside of this machine.",
    why=("MEDIUM: the sandbox reaches such services only by grant, but what is deleted there stays deleted."),
    fix="Delete single, named records.",
    match=(
        "mysql -e 'DROP DATABASE shop'",
        "terraform destroy -auto-approve",
        "aws s3 rm s3://b --recursive",
        "docker system prune -af",
        "kubectl delete namespace prod",
        "dropdb shop",
        "redis-cli FLUSHALL",
    ),
    not_match=(
        "mysql -e 'SELECT 1'",
        "terraform plan",
        "docker ps",
        "kubectl get pods",
    ),
    cwe=73,
)

RULES = (
    RM_TREE,
    DELETE_SYSTEM,
    SHRED,
    DISK,
    ENCRYPT,
    POWER,
    SERVICE_STOP,
    GIT,
    DATA_DROP,
)
