"""Looking around, touching the system's files, and the tools of the trade."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import found
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.survey import (
    PROBE,
    SETUID_SEARCH,
    SWEEP,
    SYSTEM_LIST,
    SYSTEM_READ,
    SYSTEM_WRITE,
    TOOL,
)
from engine.analysis.shell.writes import read, written
from engine.models import Violation

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
        if any(_TOOLS.match(name) for name in _programs(command)):
            yield found(TOOL, command)
    if len(probes) >= 3:
        first, *others = probes.values()
        names = ", ".join(probes)
        yield SWEEP.violation(first.span, f"Asks {names}", related=tuple(other.span for other in others))
    else:
        for command in probes.values():
            yield found(PROBE, command)


def _programs(command: Command) -> list[str]:
    names = [command.name]
    if command.name in {
        "bash",
        "sh",
        "zsh",
        "python",
        "python2",
        "python3",
        "perl",
        "ruby",
        "java",
        "source",
        ".",
    }:
        names += [arg.text.rsplit("/", 1)[-1] for arg in command.operands[:1]]
    return names


def _reads(script: Script) -> Iterator[Violation]:
    for target in read(script):
        path = paths.normal(target.path)
        if (paths.is_system(path) or path.startswith("~/.bash")) and not paths.is_credential(path):
            loud = not paths.is_harmless_read(path) or (
                path.startswith("/usr/share/") and target.command is not None
            )
            deep = path.count("/") > 1 or target.command is None or target.command.name not in {"ls", "ln"}
            if loud and deep:
                yield SYSTEM_READ.violation(target.span, f"Reads {target.shown}", evidence=target.evidence)


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
    name = command.name
    operands = [paths.normal(arg.text) for arg in command.operands]
    if name in {"find", "gfind"} and "-perm" in command.words:
        wanted = command.words[command.words.index("-perm") + 1 :][:1]
        if wanted and _PERMISSIONS.search(wanted[0]) and operands and operands[0].startswith(("/", "~")):
            yield found(SETUID_SEARCH, command)
            return
    if name == "getcap" and command.has("r"):
        yield found(SETUID_SEARCH, command)
    elif name in {"ls", "dir", "vdir", "tree", "du", "exa", "eza", "lsd", "gls"}:
        if any(paths.is_system(path) or path in {"/", "/home", "/home/", "/Users"} for path in operands):
            yield found(SYSTEM_LIST, command)
    elif (
        name in {"find", "gfind", "fd"}
        and operands[:1]
        and (paths.is_system(operands[0]) or operands[0] in {"/", "//", "/home"})
    ) or (
        name == "echo"
        and any(re.match(r"/(?:etc|proc|root|home|var|sys|usr|bin)?/?\*", path) for path in operands)
    ):
        yield found(SYSTEM_LIST, command)
