"""Rules: looking around, touching the system's files, and the tools of the trade."""

from __future__ import annotations

from engine.analysis.shell.declare import HIGH, LOW, MEDIUM, SECRETS, rule

SYSTEM_READ = rule(
    "sh-system-read",
    "Reads a file of the system",
    "fs_sensitive",
    MEDIUM,
    attack="Learns users, services and settings of the machine, to choose the next step.",
    why="MEDIUM: not secret, but none of the snippet's business.",
    fix="Hand in the data that is needed as a file.",
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
    "Writes among the files of the system",
    "fs_sensitive",
    MEDIUM,
    attack="Replaces programs or settings that others trust.",
    why=("MEDIUM: HIGH where the place is one that is run, or that protects, which have rules of their own."),
    fix="Write into the workspace.",
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
    "Lists a folder of the system",
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
    "Searches for programs with more rights",
    "persistence",
    HIGH,
    attack="Looks for a setuid program, or a right of sudo, through which to become root.",
    why="HIGH: it is the first step of a known climb.",
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
    "Looks the machine over",
    "recon",
    MEDIUM,
    attack="Collects who, where and what in one go, as attackers do on arrival.",
    why="MEDIUM: three or more such questions in one snippet; LOW for a single one.",
    fix="Ask only what is needed.",
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
    "Asks about the machine or its users",
    "recon",
    LOW,
    attack="Learns where it runs.",
    why="LOW: a single question, and a common one.",
    fix="Ask only what is needed.",
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
    attack="Scans, exploits, or maps the way to root.",
    why="HIGH: the tool has no other use; CRITICAL needs to see its effect.",
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

RULES = (
    SYSTEM_READ,
    SYSTEM_WRITE,
    SYSTEM_LIST,
    SETUID_SEARCH,
    SWEEP,
    PROBE,
    TOOL,
)
