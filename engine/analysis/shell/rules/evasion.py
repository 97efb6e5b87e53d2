"""Disabling protection, and covering tracks."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.command_patterns import by_name, has_arguments, matches, pattern, touches
from engine.analysis.shell.declare import HIGH, MEDIUM, rule
from engine.analysis.shell.file_access import FileAccess, written
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.shutdown import is_protection
from engine.models import Violation

HISTORY = rule(
    "sh-history-off",
    "Disables or deletes the shell history",
    "defense_evasion",
    HIGH,
    attack="Leaves no trace of the commands for an investigation.",
    why=("HIGH: only concealment needs it; MEDIUM for settings that are common in user profiles."),
    fix="Remove it.",
    match=(
        "unset HISTFILE",
        "history -c",
        "set +o history",
        "export HISTSIZE=0",
        "rm ~/.bash_history",
        "HISTFILE=/dev/null",
        "ln -sf /dev/null ~/.bash_history",
        "cat /dev/null > ~/.zsh_history",
    ),
    not_match=(
        "history",
        "history 10",
        "HISTSIZE=10000",
        "export HISTFILE=~/.h",
    ),
    cwe=778,
)
LOGS = rule(
    "sh-log-wipe",
    "Deletes or overwrites logs",
    "defense_evasion",
    HIGH,
    attack="Removes the record of what was done.",
    why="HIGH: logs are evidence; no script needs to remove them.",
    fix="Leave logs alone.",
    match=(
        "rm -rf /var/log/messages",
        "echo '' > /var/log/syslog",
        "truncate -s 0 /var/log/auth.log",
        "journalctl --vacuum-time=1s",
        "shred -u /var/log/wtmp",
        "dmesg -c",
        "cp /dev/null /var/log/lastlog",
        "unlink /var/log/x",
    ),
    not_match=(
        "cat /var/log/syslog",
        "journalctl -u x",
        "dmesg",
        "ls /var/log",
    ),
    cwe=778,
)
PROTECTION = rule(
    "sh-protection-off",
    "Disables or weakens security software",
    "defense_evasion",
    HIGH,
    attack="Disables the firewall, auditing or the virus scanner before the actual attack.",
    why="HIGH: in a sandbox it only prepares something else.",
    fix="Remove it.",
    match=(
        "setenforce 0",
        "ufw disable",
        "iptables -F",
        "systemctl stop auditd",
        "auditctl -e 0",
        "spctl --master-disable",
        "service rsyslog stop",
        "pkill -9 clamd",
        "echo 0 > /proc/sys/kernel/randomize_va_space",
        "apt-get remove -y clamav",
        "sed -i 's/enforcing/disabled/' /etc/selinux/config",
    ),
    not_match=(
        "ufw enable",
        "ufw status",
        "getenforce",
        "systemctl status auditd",
        "iptables -L",
    ),
    cwe=693,
)
FIREWALL = rule(
    "sh-firewall",
    "Changes the firewall, name resolution or a kernel setting",
    "defense_evasion",
    MEDIUM,
    attack="Opens a way in or out, or redirects traffic.",
    why="MEDIUM: it may also tighten security; disabling the firewall is HIGH.",
    fix="Leave the settings of the machine alone.",
    match=(
        "iptables -A INPUT -p tcp --dport 4444 -j ACCEPT",
        "ufw allow 4444",
        "echo '1.2.3.4 bank.test' >> /etc/hosts",
        "sysctl -w net.ipv4.ip_forward=1",
        "nft add rule x",
    ),
    not_match=(
        "iptables -L",
        "cat /etc/hosts",
        "sysctl -a",
        "ufw status",
    ),
    cwe=693,
)

_O = r"(?<!\S)"


def _protects(command: Command) -> bool:
    return is_protection(" ".join(command.words))


_PATTERNS = by_name(
    pattern(HISTORY, "history", _O + r"-\w*[cdw]"),
    pattern(HISTORY, "unset", r"HIST(?:FILE|SIZE|FILESIZE)\b"),
    pattern(HISTORY, "set", r"\+o history|" + _O + r"\+H"),
    pattern(HISTORY, "shopt unsetopt", r"hist", unwanted=_O + "-s"),
    pattern(HISTORY, "rm unlink shred srm truncate", test=touches(paths.is_history)),
    pattern(LOGS, "rm unlink shred srm wipe mv", test=touches(paths.is_log)),
    pattern(LOGS, "find", r"-delete|-exec(?:dir)? (?:rm|shred|truncate)", test=touches(paths.is_log)),
    pattern(LOGS, "journalctl", r"--(?:vacuum|rotate|flush)"),
    pattern(LOGS, "dmesg", _O + r"(?:-\w*[cC]|--(?:read-)?clear)"),
    pattern(LOGS, "log", r"\berase\b"),
    pattern(LOGS, "wevtutil utmpdump", test=has_arguments),
    pattern(LOGS, "logrotate", _O + "-f|--force", severity=MEDIUM),
    pattern(LOGS, "lastlog", _O + "(?:-C|--clear)"),
    pattern(LOGS, "osascript", r"/var/log|\bdelete\b"),
    pattern(PROTECTION, "setenforce", r"(?i)^(?:0|permissive)$"),
    pattern(PROTECTION, "ufw", r"\b(?:disable|reset|off)\b"),
    pattern(PROTECTION, "auditctl", _O + "(?:-D|-e 0|-d|-W)"),
    pattern(PROTECTION, "auditpol", "/(?:clear|remove|set)"),
    pattern(PROTECTION, "pfctl", _O + "-(?:d|F)"),
    pattern(PROTECTION, "spctl", "--(?:master|global)-disable|--add|--disable"),
    pattern(PROTECTION, "csrutil fdesetup", r"\bdisable\b"),
    pattern(PROTECTION, "mdatp", r"\b(?:disabled|off|exclusion|remove)\b"),
    pattern(PROTECTION, "tmutil", r"\b(?:disable|deletelocalsnapshots|addexclusion)\b"),
    pattern(PROTECTION, "nft ipfw ipset", r"\b(?:flush|disable|destroy)\b"),
    pattern(PROTECTION, "iptables ip6tables ebtables arptables", r"(?:-F|-X|--flush)\b|-P \w+ ACCEPT"),
    pattern(PROTECTION, "codesign", "--remove-signature"),
    pattern(PROTECTION, "xattr", _O + r"-\w*d\w* (?:\S+ )*\S*quarantine"),
    pattern(PROTECTION, "mokutil", "--disable-validation"),
    pattern(PROTECTION, "apparmor_parser semodule", _O + "-(?:R|r)"),
    pattern(PROTECTION, "aa-disable aa-teardown aa-complain swapoff esxcli"),
    pattern(PROTECTION, "setsebool bcdedit Set-MpPreference"),

    pattern(PROTECTION, "setprop sysctl", r"(?:randomize_va_space|kptr_restrict|ptrace_scope)\s*=\s*0"),
    pattern(PROTECTION, "systemctl service rc-service initctl launchctl chkconfig update-rc.d",
          r"\b(?:stop|disable|mask|kill|unload|bootout|remove|off)\b", test=_protects),
    pattern(PROTECTION, "kill pkill killall", test=_protects),
    pattern(PROTECTION, "sysrc", r"(?i)=\"?no", test=_protects),
    pattern(PROTECTION, "apt apt-get yum dnf rpm dpkg brew pacman zypper snap pkg apk",
          r"\b(?:remove|purge|erase|uninstall|autoremove|delete|del)\b|" + _O + "-(?:e|r|P"
          r"|R)", test=_protects),
    pattern(PROTECTION, "defaults", r"write.*(?i:LSQuarantine|SoftwareUpdate|\balf\b|gatekeeper|AutoUpdate)"),
    pattern(FIREWALL, "iptables ip6tables ebtables arptables",
          _O + r"(?:-[AIDR]|--(?:append|insert|delete|replace))\b"),
    pattern(FIREWALL, "sysctl", _O + r"(?:-w|--write)|="),
    pattern(FIREWALL, "ufw", r"\b(?:allow|deny|prepend|insert|delete|reject|limit|logging|route|default)\b",
          unwanted=r"\boff\b|OpenSSH|WWW"),
    pattern(FIREWALL, "nft ipset ip route tc resolvectl", r"\b(?:add|delete|del|replace|insert)\b"),
    pattern(FIREWALL, "firewall-cmd", r"--(?:add|remove|set|panic)"),
    pattern(FIREWALL, "networksetup scutil", r"-set(?:web|secure|socks|dnsservers|airport)|--proxy"),
    pattern(FIREWALL, "pfctl", _O + "-(?:f|e)"),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield what blinds, or covers tracks."""
    for target in written(script):
        yield from _overwritten(target)
    yield from matches(script, _PATTERNS)
    for name, value, step in script.assignments:
        if _is_forgetful(name, value.text):
            yield HISTORY.violation(
                step.span, f"Sets {name}", severity=MEDIUM if name == "HISTCONTROL" else HIGH
            )


def _overwritten(target: FileAccess) -> Iterator[Violation]:
    path = paths.normal(target.path)
    rule = None
    if paths.is_history(path):
        rule = HISTORY
    elif paths.is_log(path) and (target.command is None or target.command.name != "mkdir"):
        rule = LOGS
    elif paths.is_defence(path) or path.startswith("/proc/sys/"):
        names = path.startswith(("/etc/hosts", "/etc/resolv", "/etc/nsswitch"))
        rule = FIREWALL if names else PROTECTION
    if rule is not None:
        yield rule.violation(target.span, f"Writes {target.shown}", evidence=target.evidence)


def _is_forgetful(name: str, value: str) -> bool:
    if name in {"HISTSIZE", "HISTFILESIZE", "SAVEHIST"}:
        return value in {"0", ""}
    if name == "HISTFILE":
        return value in {"/dev/null", ""}
    return (name == "HISTCONTROL" and "ignore" in value) or (name == "HISTIGNORE" and value in {"*", "*:*"})
