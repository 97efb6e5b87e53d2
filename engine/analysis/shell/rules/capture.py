"""Recording keys, screens and traffic, guessing passwords and reading the clipboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import HIGH, MEDIUM, SECRETS, found, rule
from engine.analysis.shell.model import Command, Script
from engine.models import Violation

CAPTURE = rule(
    "sh-capture",
    "Records the network, the keyboard or the screen",
    "secrets_env",
    HIGH,
    attack="Reads passwords and conversations.",
    why="HIGH: the recorded data belongs to others.",
    fix="Remove it.",
    match=(
        "tcpdump -i eth0",
        "tshark -i any",
        "xinput test 5",
        "screencapture a.png",
        "sudo ./t_pcapdemo -i em0",
        "xwd -root",
    ),
    not_match=(
        "tcpdump --version",
        "man tcpdump",
    ),
    cwe=200,
    owasp=SECRETS,
)


GUESS = rule(
    "sh-password-attack",
    "Guesses or cracks passwords",
    "secrets_env",
    HIGH,
    attack="Logs in as another user.",
    why="HIGH: people do not log in with a password on the command line.",
    fix="Use a key that was granted.",
    match=(
        "sshpass -p x ssh u@h",
        "hydra -l a -P w ssh://h",
        "john h.txt",
        "hashcat -m 0 h w",
        "for p in a b; do echo $p | su root; done",
    ),
    not_match=(
        "ssh u@h",
        "echo john > a",
    ),
    cwe=307,
    owasp=SECRETS,
)


CLIPBOARD = rule(
    "sh-clipboard",
    "Reads the clipboard",
    "secrets_env",
    MEDIUM,
    attack="Takes what was copied last, often a password.",
    why="MEDIUM: a sandbox has no clipboard.",
    fix="Remove it.",
    match=(
        "pbpaste",
        "xclip -o",
        "wl-paste",
        "xsel -b",
    ),
    not_match=(
        "pbcopy < a",
        "xclip -i a",
    ),
    cwe=200,
    owasp=SECRETS,
)


_CAPTURES = {
    "tcpdump", "tshark", "dumpcap", "ettercap", "dsniff", "bettercap", "wireshark", "ngrep",
    "screencapture", "xwd", "scrot", "gnome-screenshot",
    "logkeys", "keylogger", "airodump-ng", "responder", "Responder.py", "arpspoof", "mitmproxy", "mitmdump",
    "sslstrip", "import", "maim", "fbgrab",
    "tcpflow", "snoop", "arecord", "imagesnap", "streamer", "ffmpeg_capture", "grim",
}  # fmt: skip


_GUESSERS = {
    "sshpass", "hydra", "medusa", "john", "hashcat", "ncrack", "patator", "crowbar", "unshadow", "kerbrute",
    "crackmapexec", "cme", "netexec", "nxc", "rarcrack", "fcrackzip", "aircrack-ng", "patator.py",
    "su-bruteforce", "sudo_brute_force",
}  # fmt: skip


_RECORDERS = {
    "xinput": re.compile("test"),
    "ffmpeg": re.compile(r"x11grab|avfoundation|gdigrab|kmsgrab|v4l2|-f (?:alsa|pulse)"),
    "osascript": re.compile(r"display dialog.*(?:hidden|default) answer", re.DOTALL),
}
"""Programs that record keys, the screen, sound or a password, and when they do."""


_LISTENS = re.compile(r"pcap|keylog|sniff")


def check(script: Script) -> Iterator[Violation]:
    """Yield programs that record, guess or read the clipboard."""
    for command in script.commands:
        if not command.own:
            yield from _attacks(command)


def _records(command: Command) -> bool:
    pattern = _RECORDERS.get(command.name)
    return pattern is not None and pattern.search(command.text) is not None


def _attacks(command: Command) -> Iterator[Violation]:
    name, words = command.name, command.words
    if words[:1] in (["--version"], ["--help"], ["-h"]):
        return
    if name in _CAPTURES or _records(command) or _LISTENS.search(name):
        yield found(CAPTURE, command)
    elif "sshpass" in command.wrappers:
        yield found(GUESS, command, "With sshpass")
    elif name in _GUESSERS or (name in {"su", "sudo", "ssh", "kinit"} and command.upstream and name == "su"):
        yield found(GUESS, command)
    elif name in {"pbpaste", "wl-paste"} or (
        name in {"xclip", "xsel"} and not command.has("i", "-in", "--input")
    ):
        yield found(CLIPBOARD, command)
