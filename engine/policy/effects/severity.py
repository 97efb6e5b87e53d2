"""How grave an observed effect is that nobody predicted. Pure."""

from __future__ import annotations

import re

from engine.models import Level
from engine.models.observed import ObservedEffect, ObservedKind

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
_WITHOUT_EFFECT = frozenset({"ENOENT", "ENOTDIR"})
_ASKED_BY_LIBRARIES = frozenset({"/usr/bin/uname", "/usr/sbin/ldconfig", "/usr/bin/getconf"})
"""Programs that libraries start to learn about the machine: `platform` of Python, for one."""
_OTHERS = ("the supervisor", "every process")


def _read(effect: ObservedEffect) -> tuple[Level, str]:
    path = effect.target.text
    if _SECRETS.search(path):
        return Level.HIGH, "secrets are kept there"
    if is_absent(effect):
        return Level.LOW, ""
    if _ACCOUNTS.search(path):
        return Level.MEDIUM, "it tells about the machine and its users"
    return Level.LOW, ""


def _change(effect: ObservedEffect) -> tuple[Level, str]:
    path = effect.target.text
    if not path or _OWN.match(path):
        return Level.LOW, ""
    return Level.HIGH, "it lies outside the workspace"


def _network(effect: ObservedEffect) -> tuple[Level, str]:
    if effect.kind is ObservedKind.SEND:
        return Level.HIGH, "it sends past the proxy"
    if _LOCAL.search(effect.target.text):
        return Level.LOW, ""
    return Level.HIGH, "it connects past the proxy"


def _process(effect: ObservedEffect) -> tuple[Level, str]:
    if effect.detail.text == "fork" or effect.target.text in _ASKED_BY_LIBRARIES:
        return Level.LOW, ""
    return Level.MEDIUM, "it starts another program"


def _signal(effect: ObservedEffect) -> tuple[Level, str]:
    other = effect.target.text.startswith(_OTHERS)
    return (Level.HIGH, "it tries to end what watches it") if other else (Level.LOW, "")


def _memory(effect: ObservedEffect) -> tuple[Level, str]:
    return (Level.HIGH, "it executes code that is in no file") if effect.target else (Level.LOW, "")


def _grave(effect: ObservedEffect) -> tuple[Level, str]:
    return Level.HIGH, "programs do this to leave their bounds"


_BY_KIND = {
    ObservedKind.READ: _read,
    ObservedKind.WRITE: _change,
    ObservedKind.DELETE: _change,
    ObservedKind.RENAME: _change,
    ObservedKind.LINK: _change,
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


def severity_of(effect: ObservedEffect) -> tuple[Level, str]:
    """Return how grave an unpredicted effect is, and why."""
    judge = _BY_KIND.get(effect.kind)
    return judge(effect) if judge is not None else (Level.LOW, "")


def is_absent(effect: ObservedEffect) -> bool:
    """Return whether it only looked for files that are not there."""
    return (
        effect.kind is ObservedKind.READ
        and effect.refused == effect.count
        and effect.error in _WITHOUT_EFFECT
    )
