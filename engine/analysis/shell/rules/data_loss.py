"""Deleting the history of git, and the data of databases and clouds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import HIGH, MEDIUM, found, rule
from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Script
from engine.analysis.sql import destroys_everything
from engine.models import Violation

GIT = rule(
    "sh-git-destructive",
    "Discards work kept by git",
    "fs_delete",
    MEDIUM,
    attack="Loses commits, branches or uncommitted changes, locally or on the remote.",
    why=("MEDIUM: the reflog recovers much, but not uncommitted changes or a shared branch."),
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
    attack="Destroys data outside this machine.",
    why=(
        "MEDIUM: the sandbox reaches such services only with a grant, but deletion there is permanent;"
        " HIGH for whole databases, schemas and stores."
    ),
    fix="Delete single, named records.",
    match=(
        "mysql -e 'DROP DATABASE shop'",
        "terraform destroy -auto-approve",
        "aws s3 rm s3://b --recursive",
        "docker system prune -af",
        "kubectl delete namespace prod",
        "dropdb shop",
        "redis-cli FLUSHALL",
        "mysqladmin drop shop",
        "echo 'DROP SCHEMA public CASCADE' | psql",
    ),
    not_match=(
        "mysql -e 'SELECT 1'",
        "terraform plan",
        "docker ps",
        "kubectl get pods",
    ),
    cwe=73,
)

_SQL_DROP = re.compile(
    r"\b(?:DROP\s+(?:DATABASE|TABLE|SCHEMA)|TRUNCATE\s+TABLE|DELETE\s+FROM\s+\w+\s*(?:;|$))", re.IGNORECASE
)
_CLIENTS = ("mysql", "psql", "sqlite3", "mariadb", "mongosh", "mongo", "sqlcmd", "clickhouse-client", "cqlsh")


def check(script: Script) -> Iterator[Violation]:
    """Yield what is lost."""
    for command in script.named("git"):
        if _loses_work(command.words):
            yield found(GIT, command)
    yield from _drops(script)


def _loses_work(words: list[str]) -> bool:
    while words[:1] and words[0].startswith("-"):
        words = words[2:] if words[0] in {"-C", "-c", "--git-dir", "--work-tree"} else words[1:]
    if not words:
        return False
    verb, rest = words[0], words[1:]
    options = {word.split("=")[0] for word in rest}
    short = "".join(word[1:] for word in rest if word.startswith("-") and not word.startswith("--"))
    tests = {
        "reset": bool({"--hard", "--merge"} & options),
        "push": bool({"--force", "--delete", "--mirror", "--prune"} & options) or "f" in short or "d" in short
        or any(word.startswith(("+", ":")) for word in rest),
        "clean": ("f" in short or "--force" in options) and "n" not in short and "--dry-run" not in options,
        "branch": "D" in short or ("--delete" in options and "--force" in options),
        "stash": rest[:1] in (["drop"], ["clear"]),
        "checkout": "--" in rest or "--force" in options or "f" in short or rest in (["."], ["HEAD", "."]),
        "restore": bool(rest) and not ({"--staged"} & options and "--worktree" not in options),
        "switch": bool({"--discard-changes", "--force"} & options) or "f" in short,
        "filter-branch": True,
        "filter-repo": True,
        "reflog": rest[:1] in (["expire"], ["delete"]),
        "gc": "--prune" in options,
        "update-ref": "d" in short,
        "worktree": rest[:1] == ["remove"] and ("--force" in options or "f" in short),
        "tag": "d" in short or "--delete" in options,
        "rm": "f" in short or ("r" in short and "--cached" not in options),
    }  # fmt: skip
    return tests.get(verb, False)


_CLOUD = {
    "terraform": {"destroy"}, "pulumi": {"destroy"}, "kubectl": {"delete", "drain"},
    "helm": {"uninstall", "delete"},
    "aws": {"rm", "rb", "delete-bucket", "terminate-instances", "delete-db-instance", "delete-stack"},
    "gcloud": {"delete"}, "gsutil": {"rm", "rb"}, "az": {"delete"},
    "redis-cli": {"FLUSHALL", "FLUSHDB", "flushall", "flushdb"}, "valkey-cli": {"FLUSHALL", "flushall"},
    "docker": {"prune", "rmi"}, "podman": {"prune"}, "dropdb": set(), "mysqladmin": {"drop"},
    "heroku": {"apps:destroy"},
    "vagrant": {"destroy"}, "doctl": {"delete"}, "etcdctl": {"del"}, "vssadmin": {"delete"},
    "tmutil": {"delete", "disable"},
}  # fmt: skip
_STORES = frozenset({"redis-cli", "valkey-cli", "dropdb", "mysqladmin"})


def _drops(script: Script) -> Iterator[Violation]:
    for command in script.named(*_CLOUD):
        verbs = _CLOUD[command.name]
        if not verbs or verbs & set(command.words):
            yield found(DATA_DROP, command, severity=HIGH if command.name in _STORES else None)
    for command in script.named(*_CLIENTS):
        text = f"{command.text}\n{given(command)}"
        if destroys_everything(text) or "dropDatabase" in text:
            yield found(DATA_DROP, command, severity=HIGH)
        elif _SQL_DROP.search(text):
            yield found(DATA_DROP, command)
