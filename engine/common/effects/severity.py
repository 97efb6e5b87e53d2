"""How grave an observed effect is that nobody predicted. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.models import Level
from engine.models.observed import DENIALS, ObservedEffect, ObservedKind

_OWN = re.compile(r"(/workspace|/tmp|/dev/shm|\(unknown folder\))(/|$)")
"""The sandbox's own files."""
_SECRETS = re.compile(
    r"/\.(ssh|aws|kube|docker|gnupg|netrc|npmrc|pypirc|git-credentials|env|azure|config/gcloud)(/|$|\.)"
    r"|^/etc/(shadow|gshadow|sudoers)|^/proc/(1|\d+)/(environ|mem|maps|root|cwd|fd|cmdline)(/|$)"
    r"|^/proc/(kcore|kmem|self/mem)|^/dev/(mem|kmem|port)|^/var/run/secrets|^/run/secrets|docker\.sock"
)
_ACCOUNTS = re.compile(
    r"^/etc/(passwd|group|hostname|machine-id|crontab|cron)|^/root(/|$)|^/home/|^/proc/\d+/"
)
_LOCAL = re.compile(r"^(127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|\[::\]|/|@|any port|$)")
ABSENCES = frozenset({"ENOENT", "ENOTDIR"})
"""Errors that say that there is no such file."""
_ASKED_BY_LIBRARIES = frozenset({"/usr/bin/uname", "/usr/sbin/ldconfig", "/usr/bin/getconf"})
"""Programs that libraries start to learn about the machine: `platform` of Python, for one."""
_OTHERS = ("the supervisor", "every process")


class Deed(NamedTuple):
    """What the severity of an effect goes by."""

    kind: ObservedKind
    target: str
    detail: str = ""
    denied: bool = False
    absent: bool = False
    """Whether it only looked for a file that is not there."""


def _read(deed: Deed) -> tuple[Level, str]:
    if _SECRETS.search(deed.target):
        return Level.HIGH, "secrets are kept there"
    if deed.absent:
        return Level.LOW, ""
    if _ACCOUNTS.search(deed.target):
        return Level.MEDIUM, "it tells about the machine and its users"
    return Level.LOW, ""


def _change(deed: Deed) -> tuple[Level, str]:
    if not deed.target and deed.denied:
        return Level.MEDIUM, "it was denied, so it may have been outside the workspace"
    if not deed.target or _OWN.match(deed.target):
        return Level.LOW, ""
    return Level.HIGH, "it lies outside the workspace"


def _network(deed: Deed) -> tuple[Level, str]:
    if deed.kind is ObservedKind.SEND:
        return Level.HIGH, "it sends past the proxy"
    if _LOCAL.search(deed.target):
        return Level.LOW, ""
    return Level.HIGH, "it connects past the proxy"


def _process(deed: Deed) -> tuple[Level, str]:
    if deed.detail == "fork" or deed.target in _ASKED_BY_LIBRARIES:
        return Level.LOW, ""
    return Level.MEDIUM, "it starts another program"


def _signal(deed: Deed) -> tuple[Level, str]:
    other = deed.target.startswith(_OTHERS)
    return (Level.HIGH, "it tries to end what watches it") if other else (Level.LOW, "")


def _memory(deed: Deed) -> tuple[Level, str]:
    return (Level.HIGH, "it executes code that is in no file") if deed.target else (Level.LOW, "")


def _grave(deed: Deed) -> tuple[Level, str]:
    return Level.HIGH, "programs do this to leave their bounds"


_BY_KIND = {
    ObservedKind.READ: _read,
    ObservedKind.WRITE: _change,
    ObservedKind.DELETE: _change,
    ObservedKind.RENAME: _change,
    ObservedKind.LINK: _change,
    ObservedKind.ATTRIBUTES: _change,
    ObservedKind.CONNECT: _network,
    ObservedKind.LISTEN: _network,
    ObservedKind.SEND: _network,
    ObservedKind.SIGNAL: _signal,
    ObservedKind.MEMORY: _memory,
    ObservedKind.PROCESS: _process,
    ObservedKind.TRACE: _grave,
    ObservedKind.MOUNT: _grave,
    ObservedKind.PRIVILEGE: _grave,
    ObservedKind.KERNEL: _grave,
}


def judged(deed: Deed) -> tuple[Level, str]:
    """Return how grave an unpredicted deed is, and why."""
    judge = _BY_KIND.get(deed.kind)
    return judge(deed) if judge is not None else (Level.LOW, "")


def severity_of(effect: ObservedEffect) -> tuple[Level, str]:
    """Return how grave an unpredicted effect is, and why."""
    denied = effect.error in DENIALS
    return judged(Deed(effect.kind, effect.target.text, effect.detail.text, denied, is_absent(effect)))


def is_absent(effect: ObservedEffect) -> bool:
    """Return whether it only looked for files that are not there."""
    return effect.kind is ObservedKind.READ and effect.refused == effect.count and effect.error in ABSENCES
