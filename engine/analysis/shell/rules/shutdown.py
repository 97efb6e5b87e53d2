"""Switching off the machine and stopping its services."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import CONSUMPTION, HIGH, MEDIUM, found, rule
from engine.analysis.shell.model import Script
from engine.models import Violation

POWER = rule(
    "sh-power",
    "Shuts down or restarts the machine",
    "fs_delete",
    HIGH,
    attack="Ends all other work on the machine.",
    why="HIGH: no script needs to stop its host.",
    fix="Exit instead.",
    match=(
        "shutdown -h now",
        "sudo reboot",
        "echo b > /proc/sysrq-trigger",
        "systemctl poweroff",
        "init 0",
    ),
    not_match=(
        "echo reboot",
        "man shutdown",
        "shutdown --help",
        "git init 0",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)


SERVICE_STOP = rule(
    "sh-service-stop",
    "Stops or disables a service",
    "fs_delete",
    MEDIUM,
    attack="Takes down services that others depend on.",
    why="MEDIUM: HIGH is for security and monitoring services.",
    fix="Leave services alone.",
    match=(
        "systemctl stop cron",
        "service nginx stop",
        "sudo systemctl disable --now docker",
    ),
    not_match=(
        "systemctl status cron",
        "service nginx status",
        "systemctl list-units",
    ),
    cwe=400,
)


_POWER = {"shutdown", "reboot", "halt", "poweroff", "telinit"}


_PROTECT = re.compile(
    r"syslog|journald|audit|ufw|firewall|iptables|nftables|apparmor|selinux|fail2ban|falcon|crowdstrike"
    r"|carbonblack"
    r"|clam|ossec|wazuh|osquery|falco|sysmon|mdatp|sophos|sentinel|cbdaemon|cbagent|aide|rkhunter|snort"
    r"|suricata"
    r"|defender|esets|mcafee|symantec|opendns|pf\b|chkrootkit|tripwire|auditbeat|filebeat|splunk|eset"
    r"|bitdefender|littlesnitch"
    r"|oversight|lulu|knockknock|blockblock|santa|jamf"
)


def is_protection(name: str) -> bool:
    """Return whether a service watches or protects the machine."""
    return bool(_PROTECT.search(name.lower()))


def check(script: Script) -> Iterator[Violation]:
    """Yield what switches off the machine or stops its services."""
    for command in script.commands:
        if command.own:
            continue
        if (command.name in _POWER and not {"--help", "-c"} & set(command.words)) or (
            command.name == "init" and command.words[:1] in (["0"], ["6"])
        ):
            yield found(POWER, command)
    for command in script.named("systemctl", "service", "launchctl", "sysrc", "rc-service", "initctl", "sc"):
        words = command.words
        if command.name == "systemctl" and {
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "rescue",
            "emergency",
        } & set(words):
            yield found(POWER, command)
        elif {"stop", "disable", "mask", "kill", "isolate"} & set(words) and not is_protection(
            " ".join(words)
        ):
            yield found(SERVICE_STOP, command)
    for redirect in script.redirects:
        if redirect.writes and redirect.target.text == "/proc/sysrq-trigger":
            yield POWER.violation(redirect.span, "Writes to /proc/sysrq-trigger")
