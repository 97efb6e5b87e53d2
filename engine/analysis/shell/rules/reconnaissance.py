"""Collecting information, accessing system files, and using attack tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.shell.file_access import read, written
from engine.analysis.shell.model import Command, Script
from engine.common.caches.short_cache import short_cache
from engine.models import Violation

SYSTEM_READ = rule(
    "sh-system-read",
    "Reads a system file",
    "fs_sensitive",
    MEDIUM,
    attack="Learns the users, services and settings of the machine, to choose the next step.",
    why="MEDIUM: not secret, but the script does not need it; LOW where a common query prints the same.",
    fix="Send the required data as an input file.",
    match=(
        "cat /etc/passwd",
        "cp /proc/cpuinfo x",
        "head -1 /var/log/syslog",
        "p=/etc/group; while read l; do :; done < $p",
        "grep root /etc/passwd",
        "cat /usr/../proc/meminfo",
    ),
    not_match=(
        "cat a.txt",
        "cat /tmp/x",
        "cat /dev/null",
        "cat /etc/os-release",
    ),
    cwe=200,
    owasp=SECRETS,
)
SYSTEM_WRITE = rule(
    "sh-system-write",
    "Writes to a system path",
    "fs_sensitive",
    MEDIUM,
    attack="Replaces programs or settings that others trust.",
    why=("MEDIUM; start-up files and security settings are HIGH and have their own rules."),
    fix="Write to the workspace.",
    match=(
        "cp a /usr/local/bin/b",
        "echo x > /etc/motd",
        "mkdir -p /opt/x",
        "mv x /usr/lib/",
        "touch /boot/x",
    ),
    not_match=(
        "echo x > a",
        "cp a /tmp/b",
        "ls /usr > a",
        "echo x > /dev/null",
    ),
    cwe=73,
)
SYSTEM_LIST = rule(
    "sh-system-list",
    "Lists a system folder",
    "recon",
    MEDIUM,
    attack="Learns what is installed and where to look next.",
    why="MEDIUM: it changes nothing.",
    fix="List the workspace.",
    match=(
        "ls /etc/",
        "ls -la /root",
        "find / -name x",
        "for f in $(ls /proc/); do :; done",
        "tree /var",
        "for f in /etc/*; do echo $f; done",
        "du -sh /var/log",
    ),
    not_match=(
        "ls",
        "ls ./src",
        "ls /tmp",
        "find . -name x",
    ),
    cwe=200,
    owasp=SECRETS,
)
SETUID_SEARCH = rule(
    "sh-setuid-search",
    "Searches for setuid programs or sudo rights",
    "persistence",
    HIGH,
    attack="Looks for a setuid program or a sudo right to become root.",
    why="HIGH: it is the first step of a known privilege escalation.",
    fix="Remove it.",
    match=(
        "sudo -l",
        "find / -perm -4000",
        "find /usr/bin -perm -2000 -type f",
        "find / -perm -u=s",
        "getcap -r /",
    ),
    not_match=(
        "find . -perm 644",
        "getcap a",
    ),
    cwe=269,
)
SWEEP = rule(
    "sh-recon-sweep",
    "Collects information about the machine",
    "recon",
    MEDIUM,
    attack="Collects users, location and configuration at once, as attackers do on arrival.",
    why="MEDIUM: three or more such queries in one script, those about free resources not counted.",
    fix="Query only what is needed.",
    match=(
        "whoami; id; ifconfig",
        "uname -a\nhostname\nps aux\nnetstat -an",
        "w; last; cat /etc/issue; arp -a",
    ),
    not_match=(
        "whoami",
        "date; pwd; ls",
        "uname",
    ),
    cwe=200,
    owasp=SECRETS,
)
PROBE = rule(
    "sh-recon",
    "Queries the machine or its users",
    "recon",
    LOW,
    attack="Learns where it runs.",
    why="LOW: a single query, and a common one.",
    fix="Query only what is needed.",
    match=(
        "whoami",
        "uname -a",
        "netstat -an",
        "id",
    ),
    not_match=(
        "date",
        "pwd",
        "echo id",
    ),
    cwe=200,
    owasp=SECRETS,
)
TOOL = rule(
    "sh-attack-tool",
    "Uses a tool made for attacks",
    "process",
    HIGH,
    attack="Scans, exploits, or searches for a way to root.",
    why="HIGH: the tool has no other use; CRITICAL requires its effect to be known.",
    fix="Remove it.",
    match=(
        "nmap -sS 10.0.0.0/24",
        "bash LinEnum.sh",
        "./linpeas.sh",
        "psexec.py x/a:b@h whoami",
        "sqlmap -u http://x.test",
        "xmrig -o pool:1",
    ),
    not_match=(
        "echo nmap",
        "man nmap",
        "ls linpeas",
    ),
    cwe=506,
)

_PROBES = {
    "whoami", "id", "uname", "hostname", "hostnamectl", "ifconfig", "netstat", "ss", "arp", "route",
    "lscpu", "lsblk", "lsusb", "lspci", "who", "w",
    "last", "lastlog", "users", "groups", "ps", "top", "lsof", "df", "mount", "dmesg", "uptime",
    "systeminfo", "sw_vers", "system_profiler", "lsmod",
    "getent", "finger", "ip", "iwconfig", "nmcli", "pstree", "crontab", "dpkg", "rpm", "free", "vmstat",
    "showmount", "smbutil", "nbtstat", "dscl",
    "dscacheutil", "printenv", "locale", "sysctl", "kextstat", "ioreg", "pgrep", "tty", "logname",
    "lsb_release", "pkg", "networksetup",
}  # fmt: skip
_RESOURCES = {"df", "free", "locale", "top", "tty", "uptime", "vmstat"}
"""Queries about what is free and how busy the machine is, which say nothing about who uses it."""
_QUERIED = re.compile(r"/proc/(?:meminfo|loadavg|uptime|cpuinfo|version|stat|vmstat|net/(?:tcp|udp|dev)6?)$")
"""Files that a query of its own prints: `free`, `uptime`, `lscpu`, `uname`, `vmstat`, `netstat`."""
_TOOLS = re.compile(
    r"(?i)^(?:nmap|masscan|zmap|rustscan|gobuster|dirb|dirbuster|ffuf|wfuzz|nikto|sqlmap|msfconsole"
    r"|msfdb|metasploit|crackmapexec|evil-winrm"
    r"|bloodhound(?:-python)?|sharphound|linpeas\S*|winpeas\S*|linenum\S*|lse\.sh|pspy\d*"
    r"|linux-exploit-suggester\S*|les\.sh|unix-privesc-check|beroot\S*"
    r"|impacket-\w+|(?:psexec|wmiexec|smbexec|atexec|dcomexec|secretsdump|getnpusers|getuserspns"
    r"|ntlmrelayx|ticketer|mssqlclient|getst|gettgt)\.py"
    r"|psexec|mimikatz\S*|rubeus\S*|empire|stratus|pacu|cobaltstrike|beacon|sliver\S*|havoc|weevely"
    r"|beef|commix|xsser|wpscan|joomscan|enum4linux\S*"
    r"|smbmap|rpcclient|onesixtyone|searchsploit|xmrig\S*|minerd|cpuminer|cgminer|ethminer|t-rex"
    r"|nbminer|phoenixminer|hping3|slowloris\S*|goldeneye\S*"
    r"|loic|hulk\.py|theharvester\S*|recon-ng|amass|subfinder|nuclei|httprobe|deepce\S*|cdk|peirates"
    r"|kube-hunter|traitor|poshc2|mythic\S*|merlin\S*"
    r"|exploit(?:\.\w+)?|pwnkit\S*|dirty\w*|cve-\d+\S*|osmedeus|autorecon|nishang|powersploit|veil"
    r"|thc-\w+|ncrack|pth-\w+|petitpotam\S*|printerbug\S*)$"
)
_STARTERS = frozenset({
    "bash", "sh", "zsh", "python", "python2", "python3", "perl", "ruby", "java", "source", ".",
})  # fmt: skip
_PERMISSIONS = re.compile(
    r"-?(?:/|-)?(?:[0-7]?[2467]000|u[=+]s|g[=+]s|6000)$|^[+-/]?(?:4000|2000|6000|04000|02000)"
)


def check(script: Script) -> Iterator[Violation]:
    """Yield what the script looks at, and the system's files that it touches."""
    yield from _reads(script)
    yield from _writes(script)
    probes: dict[str, Command] = {}
    for command in script.commands:
        if command.own:
            continue
        yield from _lists(command)
        if command.name in _PROBES and not command.upstream:
            probes.setdefault(command.name, command)
        if _is_tool(command.name) or any(map(_is_tool, _started(command))):
            yield found(TOOL, command)
    yield from _queries(probes)


def _queries(probes: dict[str, Command]) -> Iterator[Violation]:
    """Yield the queries that say who and where the machine is as one where there are three."""
    swept = {name: command for name, command in probes.items() if name not in _RESOURCES}
    if len(swept) >= 3:
        first, *others = swept.values()
        names = ", ".join(swept)
        yield SWEEP.violation(first.span, f"Runs {names}", related=tuple(other.span for other in others))
    for name, command in probes.items():
        if len(swept) < 3 or name not in swept:
            yield found(PROBE, command)


@short_cache(4096)
def _is_tool(name: str) -> bool:
    return _TOOLS.match(name) is not None


def _started(command: Command) -> list[str]:
    """Return the name of the file that an interpreter is given."""
    if command.name not in _STARTERS:
        return []
    return [arg.text.rsplit("/", 1)[-1] for arg in command.operands[:1]]


def _reads(script: Script) -> Iterator[Violation]:
    for target in read(script):
        path = paths.normal(target.path)
        if paths.is_device(path):
            yield SYSTEM_READ.violation(target.span, f"Reads {target.shown}", evidence=target.evidence)
        elif (paths.is_system(path) or path.startswith("~/.bash")) and not paths.is_credential(path):
            loud = not paths.is_harmless_read(path) or (
                path.startswith("/usr/share/") and target.command is not None
            )
            deep = path.count("/") > 1 or target.command is None or target.command.name not in {"ls", "ln"}
            if loud and deep:
                severity = LOW if _QUERIED.match(path) else None
                message = f"Reads {target.shown}"
                yield SYSTEM_READ.violation(target.span, message, evidence=target.evidence, severity=severity)


def _writes(script: Script) -> Iterator[Violation]:
    for target in written(script):
        path = paths.normal(target.path)
        judged = (
            paths.is_persistence(path)
            or paths.is_privilege(path)
            or paths.is_defence(path)
            or paths.is_log(path)
        )
        if paths.is_system(path) and not judged and not paths.is_device(path):
            yield SYSTEM_WRITE.violation(target.span, f"Writes {target.shown}", evidence=target.evidence)


def _lists(command: Command) -> Iterator[Violation]:
    if _seeks_setuid(command):
        yield found(SETUID_SEARCH, command)
    elif command.name in _LISTERS and _LISTERS[command.name](_places(command)):
        yield found(SYSTEM_LIST, command)


def _places(command: Command) -> list[str]:
    return [paths.normal(arg.text) for arg in command.operands]


def _seeks_setuid(command: Command) -> bool:
    if command.name == "getcap":
        return command.has("r")
    if command.name == "sudo":
        return command.has("l", "--list") and not command.operands
    if command.name not in {"find", "gfind"} or "-perm" not in command.words:
        return False
    wanted = command.words[command.words.index("-perm") + 1 :][:1]
    places = _places(command)
    return bool(wanted and _PERMISSIONS.search(wanted[0]) and places and places[0].startswith(("/", "~")))


def _lists_system(places: list[str]) -> bool:
    return any(paths.is_system(path) or path in {"/", "/home", "/home/", "/Users"} for path in places)


def _finds_in_system(places: list[str]) -> bool:
    return any(paths.is_system(path) or path in {"/", "//", "/home"} for path in places[:1])


def _spells_system(places: list[str]) -> bool:
    """Return whether a shell pattern lists a folder of the system, as `echo /etc/*` does."""
    return any(map(_TOP_PATTERN.match, places))


_TOP_PATTERN = re.compile(r"/(?:etc|proc|root|home|var|sys|usr|bin)?/?\*")
_LISTERS: dict[str, Callable[[list[str]], bool]] = {
    **dict.fromkeys(("ls", "dir", "vdir", "tree", "du", "exa", "eza", "lsd", "gls"), _lists_system),
    **dict.fromkeys(("find", "gfind", "fd"), _finds_in_system),
    "echo": _spells_system,
    "getent": lambda places: places in (["passwd"], ["group"], ["shadow"]),
}
