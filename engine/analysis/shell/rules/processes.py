"""Rules: killing what others run, and using up the machine."""

from __future__ import annotations

from engine.analysis.shell.declare import CONSUMPTION, CRITICAL, HIGH, MEDIUM, rule

KILL = rule(
    "sh-kill",
    "Kills processes",
    "process_kill",
    MEDIUM,
    attack="Stops services, guards or the work of others.",
    why="MEDIUM: the sandbox has only its own processes; HIGH where everything is killed.",
    fix="Kill only what the script started, by $!.",
    match=(
        "kill -9 1234",
        "pkill nginx",
        "killall -9 java",
        "kill $(pgrep cron)",
        "for p in $(ps -eo pid); do kill $p; done",
        "kill -9 -1",
        "ps aux | awk '{print $2}' | xargs kill",
        "fuser -k 80/tcp",
    ),
    not_match=(
        "sleep 9 & kill $!",
        "sleep 1 & p=$!; kill $p",
        "kill -l",
        "kill -0 1",
        "kill %1",
        "echo kill",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
FORK_BOMB = rule(
    "sh-fork-bomb",
    "Starts processes without end",
    "resources",
    CRITICAL,
    attack="Fills the process table until nothing else can start.",
    why="CRITICAL: it has no other use.",
    fix="Remove it.",
    match=(
        ":(){ :|:& };:",
        "f() { f | f & }; f",
        "while true; do $0 & done",
        "bomb() { bomb & bomb; }; bomb",
    ),
    not_match=(
        "f() { f; }",
        "sleep 1 &",
        "f() { g | h & }; f",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
ENDLESS = rule(
    "sh-endless-loop",
    "Loops without an exit",
    "resources",
    MEDIUM,
    attack="Burns the processor until the deadline.",
    why="MEDIUM: the run's time limit ends it.",
    fix="Give the loop an end.",
    match=(
        "while true; do :; done",
        "while :; do echo x; done",
        "until false; do x=1; done",
        "for ((;;)); do echo; done",
        "yes > /dev/null",
    ),
    not_match=(
        "while true; do read x || break; done",
        "while true; do sleep 1; done",
        "while [ $i -lt 3 ]; do i=$((i+1)); done",
        "yes | head",
    ),
    cwe=835,
    owasp=CONSUMPTION,
)
FILL = rule(
    "sh-disk-fill",
    "Writes without end, or very much",
    "resources",
    HIGH,
    attack="Fills the disk or the memory until the machine fails.",
    why="HIGH: the run's limits end it, but nothing useful comes of it.",
    fix="Say how much is written, and keep it small.",
    match=(
        "cat /dev/zero > a",
        "yes > big",
        "fallocate -l 100G a",
        "dd if=/dev/zero of=a bs=1M count=100000",
        "head -c 50G /dev/urandom > a",
        "tail /dev/zero",
    ),
    not_match=(
        "fallocate -l 1M a",
        "dd if=/dev/zero of=a bs=1k count=10",
        "yes | head -1 > a",
        "cat /dev/null > a",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
STRESS = rule(
    "sh-stress",
    "Loads the machine on purpose, or mines",
    "resources",
    MEDIUM,
    attack="Uses the machine's time and power for somebody else.",
    why="MEDIUM: the run's limits hold; mining addresses are HIGH.",
    fix="Remove it.",
    match=(
        "stress -c 8",
        "stress-ng --vm 4",
        "x -o stratum+tcp://pool.test:3333",
        "openssl speed -multi 8",
    ),
    not_match=(
        "echo stress",
        "man stress",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)

RULES = (
    KILL,
    FORK_BOMB,
    ENDLESS,
    FILL,
    STRESS,
)
