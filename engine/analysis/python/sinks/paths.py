"""Classifies paths: system, kernel, secret, hidden, program."""

from __future__ import annotations

import ast
import re
from math import prod

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.loops.loops import COMPREHENSIONS, always_true, turns_of
from engine.analysis.python.loops.resources import size_of
from engine.analysis.python.rules import files as rules
from engine.analysis.python.rules.resources import FLOOD
from engine.models import Level

SYSTEM_WRITE = python_rule(
    "py-system-write",
    "A system file is written or removed",
    "fs_sensitive",
    Level.HIGH,
    attack="Replaces programs or settings of the machine.",
    why="HIGH: these files belong to the system.",
    fix="Write below the working folder.",
    match=("open('/usr/bin/x', 'w')", "import shutil\nshutil.copy(a, '/etc/x')"),
    not_match=("open('/usr/share/dict/words')", "open('out/x', 'w')"),
    cwe=73,
)
KERNEL_PATH = python_rule(
    "py-kernel-path",
    "A kernel path is used",
    "kernel_surface",
    Level.HIGH,
    attack="Reads the machine's layout and other processes, or talks to devices.",
    why=(
        "HIGH: submitted code needs no mounts, devices, modules or other processes; MEDIUM for reading how "
        "busy the machine is."
    ),
    fix="Use `os` or `platform`.",
    match=("open('/proc/kallsyms')", "import os\nos.listdir('/sys/fs/cgroup')", "open('/dev/mem', 'rb')"),
    not_match=("open('/dev/null', 'w')", "open('proc/x')"),
    cwe=552,
)
HIDDEN_WRITE = python_rule(
    "py-hidden-write",
    "A hidden or disguised file is written",
    "obfuscation_write",
    Level.MEDIUM,
    attack="Leaves a file where a listing does not show it, or disguised as something else.",
    why="MEDIUM: some settings are hidden files; HIGH where the content was encoded.",
    fix="Use a visible name.",
    match=("open('/tmp/.x', 'w')", "import os\nos.rename('a.txt', '.a')"),
    not_match=("open('./a', 'w')", "open('../a', 'w')"),
    cwe=506,
)


_SENSITIVE = re.compile(
    r"(?:^|/)etc/(?:passwd|shadow|gshadow|group|sudoers|hosts|ssh|ssl/private|krb5|fstab|crontab|security|pam|"
    r"master\.passwd|resolv|hostname|issue|login|profile|environment|exports|nsswitch|opt)"
    r"|\.ssh(?:/|$)|id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|known_hosts"
    r"|\.aws(?:/|$)|\.azure(?:/|$)|\.config/gcloud|\.kube(?:/|$)|\.docker/config|\.gnupg|\.netrc|\.pypirc|\.npmrc"
    r"|\.git-credentials|\.pgpass|\.my\.cnf|\.vault-token|(?:^|/)\.env$|\.(?:bash|zsh|python|mysql|psql)_history"
    r"|/var/(?:log|spool|lib/docker|run/docker|run/secrets|mail|backups)|docker\.sock|/run/secrets"
    r"|login data|cookies\.sqlite|logins\.json|key[34]\.db|wallet\.dat|keychain|local state"
    r"|/google/chrome|user data|bravesoftware|opera software|\.mozilla|firefox/profiles|1password|keepass"
    r"|\\(?:system32|sam$|ntds|config\\sam)|/windows/(?:system32|win\.ini)|/serviceaccount/"
    r"|\\\\\.\\physicaldrive|[\\/]leveldb|^/?flag(?:\.txt)?$"
)
_KERNEL = re.compile(r"^(?:/proc|/sys|/dev)(?:/|$)")
_CALM_KERNEL = re.compile(r"^/dev/(?:null|zero|u?random|stdin|stdout|stderr|fd(?:/|$)|tty$)")
_STATISTICS = re.compile(
    r"^/proc/(?:cpuinfo|meminfo|loadavg|uptime|stat|vmstat|version|diskstats|filesystems|self/(?:status|stat|statm|io))$"
    r"|^/sys/class/thermal/"
)
"""Files of the kernel that say how busy the machine is, and nothing of others."""
OUTSIDE = re.compile(r"^(?:[/~\\]|\.\.|[A-Za-z]:|\w+://)|[/\\]\.\.(?:[/\\]|$)")
"""A path that leads out of the working folder."""
_SYSTEM = re.compile(
    r"(?i)^(?:/(?:etc|usr|s?bin|boot|lib(?:32|64)?|root|var/(?!tmp|folders)|opt|srv|sys|proc|system|library)(?:/|$)|c:[\\/](?:windows|program))"
)
_LOOKED_AT = re.compile(
    r"(?i)^(?:/(?:etc|root|boot|var(?!/tmp|/folders)|home|opt|srv|usr(?!/share/(?:dict|fonts|zoneinfo|locale)))(?:/[^\ufffc]|$)|c:[\\/]windows)"
)
PERSISTENT = re.compile(
    r"\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|zshrc|zprofile|zshenv|profile|cshrc|kshrc|inputrc|"
    r"xinitrc|xsession|vimrc|tmux\.conf|login)$"
    r"|(?:^|/)etc/(?:profile|bash\.bashrc|rc\.local|cron|init|systemd|ld\.so\.preload|skel|environment|xdg/autostart)"
    r"|/var/spool/cron|/systemd/(?:system|user)|\.config/(?:autostart|systemd|fish)|launch(?:agents|daemons)|"
    r"(?:^|/)conftest\.py$|\.vscode/(?:tasks|launch|settings)\.json|\.github/workflows/|\.gitlab-ci\.yml|\.husky/|"
    r"\.gitconfig$|(?:^|/)\.git/config$|\.envrc$|authorized_keys|sitecustomize|usercustomize|site-packages/[^/]*\.pth|\.git/hooks|"
    r"start menu.{0,20}startup|crontab"
)
_PROGRAM = re.compile(
    r"(?i)\.(?:exe|dll|so|dylib|scr|bat|cmd|com|ps1|vbs|vbe|jse?|wsf|hta|msi|jar|sh|bash|py|pyc|pyw|pl|rb|php|elf|bin|apk|dmg|deb|rpm)$"
)


def judge(
    evaluator: Evaluator, node: ast.AST, name: str, value: PythonValue | None, *, write: bool, delete: bool
) -> bool:
    """Report what a path means, and return whether what lies there is sensitive."""
    shown = name.replace("\ufffc", "…")[:160]
    changed = write or delete
    sensitive = is_sensitive(name)
    if sensitive:
        evaluator.report(rules.SENSITIVE, node, f"`{shown}`", value=value)
    elif _LOOKED_AT.match(name) and not changed:
        evaluator.report(
            rules.SENSITIVE, node, f"`{shown}` belongs to the system", severity=Level.MEDIUM, value=value
        )
    elif changed and is_system(name):
        evaluator.report(SYSTEM_WRITE, node, f"`{shown}` belongs to the system", value=value)
    if _KERNEL.match(name) and not _CALM_KERNEL.match(name):
        level = Level.MEDIUM if _STATISTICS.match(name) and not changed else None
        evaluator.report(KERNEL_PATH, node, f"`{shown}`", severity=level, value=value)
    if write and PERSISTENT.search(name.lower()):
        evaluator.report(rules.PERSISTENCE, node, f"`{shown}` is read at every start-up", value=value)
    if write and is_hidden(name):
        evaluator.report(HIDDEN_WRITE, node, f"`{shown}` is hidden", value=value)
    if write and is_program(name):
        evaluator.report(rules.PROGRAM_WRITE, node, f"`{shown}` is a program", value=value)
        evaluator.add_fact(f"program:{name}", node)
    return sensitive


def is_sensitive(text: str) -> bool:
    """Whether a text names a place of accounts, keys, tokens or browsers' secrets, in any case of letters."""
    return _SENSITIVE.search(text.lower()) is not None


_SECRET_STORE = re.compile(
    r"id_(?:rsa|dsa|ecdsa|ed25519)\b|/etc/g?shadow|\.aws/credentials|\.git-credentials|\.pgpass|\.vault-token|"
    r"login data|logins\.json|key[34]\.db|cookies\.sqlite|wallet\.dat|keychain|local state|user data|"
    r"bravesoftware|opera software|1password|keepass|config\\sam|ntds|/serviceaccount/|[\\/]leveldb"
)


def is_secret_store(text: str) -> bool:
    """Whether a text names a place of nothing but passwords, keys, cookies or wallets."""
    return _SECRET_STORE.search(text.lower()) is not None


def is_system(name: str) -> bool:
    """Whether a path belongs to the system."""
    return _SYSTEM.match(name) is not None and not name.startswith("/dev/")


def is_temporary(name: str) -> bool:
    """Whether a path is below a folder for temporary files."""
    return name.startswith(("/tmp/", "/var/tmp/")) and ".." not in name


def is_hidden(name: str) -> bool:
    """Whether the last part of a path is hidden."""
    last = re.split(r"[\\/]", name)[-1]
    return len(last) > 1 and last[0] == "." and last != ".." and not last.startswith(".\ufffc")


def is_program(name: str) -> bool:
    """Whether a path is that of a program, by its ending."""
    return _PROGRAM.search(name) is not None


def check_flood(evaluator: Evaluator, node: ast.AST) -> None:
    """Report writing in a loop of very many iterations."""
    turns = _most_turns(evaluator)
    if turns >= _MANY_FILES:
        evaluator.report(FLOOD, node, f"Writes in a loop of {turns:,} iterations")


def check_volume(evaluator: Evaluator, node: ast.AST, content: PythonValue | None) -> None:
    """Report content of a known size that a loop writes so often that it fills a disk."""
    turns, size = _most_turns(evaluator), size_of(content)
    if turns * size >= _MANY_BYTES:
        evaluator.report(FLOOD, node, f"Writes about {turns * size:,} bytes in a loop")


def _most_turns(evaluator: Evaluator) -> int:
    return max((loop_turns(evaluator, loop) for loop in evaluator.loops), default=0)


_MANY_FILES = 10_000
_MANY_BYTES = 256 * 1024 * 1024


def loop_turns(evaluator: Evaluator, loop: ast.AST) -> int:
    """Return the number of iterations of a loop or comprehension, or 0 where it is unknown."""
    if isinstance(loop, ast.For):
        return turns_of(evaluator.evaluate(loop.iter)) if isinstance(loop.iter, ast.Call) else 0
    parts = [evaluator.evaluate(generator.iter) for generator in getattr(loop, "generators", ())]
    return prod(map(turns_of, parts)) if parts else 0


def many_turns(evaluator: Evaluator) -> bool:
    """Whether what is looked into happens in a loop that never ends or has very many iterations."""
    return any(
        endless(evaluator, loop) or loop_turns(evaluator, loop) >= _MANY_TURNS for loop in evaluator.loops
    )


_MANY_TURNS = 100


def endless(evaluator: Evaluator, loop: ast.AST) -> bool:
    """Whether a loop is `while True`, or runs over an iterator without an end."""
    if isinstance(loop, ast.While):
        return always_true(loop.test)
    first = loop.generators[0] if isinstance(loop, COMPREHENSIONS) else loop
    iterator = getattr(first, "iter", None)
    value = evaluator.evaluate(iterator) if isinstance(iterator, ast.Call) else None
    return value is not None and value.name == "endless"
