"""Rules for processes and system calls."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

PROCESS = python_rule(
    "py-process",
    "Another program is started",
    "process",
    Level.MEDIUM,
    attack="Runs any program with the rights of this process: shells, downloaders, deletion tools.",
    why=(
        "MEDIUM: legitimate code does it too; the command itself is analysed as shell and can "
        "raise the severity; LOW for commands that only show something."
    ),
    fix=("Use a library call; if a program is needed, pass a constant list of arguments without a shell."),
    match=(
        "import os\nos.system('ls')",
        "from subprocess import run as r\nr(['ls'])",
        "import asyncio\nasyncio.create_subprocess_shell('ls')",
        "import os\nos.execv(path, args)",
        "from sh import ls\nls('-l')",
        "import win32com.client\nwin32com.client.Dispatch('WScript.Shell').Run('calc')",
    ),
    not_match=("os = Thing()\nos.system('ls')", "import subprocess"),
    cwe=78,
    owasp="LLM06",
)
KILL = python_rule(
    "py-process-kill",
    "A process is killed or signalled",
    "process_kill",
    Level.MEDIUM,
    attack="Stops monitoring, other users' work or services of the machine.",
    why="MEDIUM: a program may stop its own children; HIGH where it searches for processes.",
    fix="Use `Popen.terminate()` on processes that this code started.",
    match=(
        "import os, signal\nos.kill(pid, signal.SIGKILL)",
        "import psutil\nfor p in psutil.process_iter():\n    p.kill()",
        "import subprocess\nsubprocess.run(['pkill', '-f', 'x'])",
    ),
    not_match=("import subprocess\np = subprocess.Popen(['ls'])\np.kill()",),
    cwe=400,
)
SYSCALL = python_rule(
    "py-system-call",
    "The kernel is called directly",
    "kernel_surface",
    Level.HIGH,
    attack="Attacks the kernel or the sandbox: mounts, ptrace, bpf, keyrings, process memory.",
    why="HIGH: no library offers these for legitimate work in submitted code.",
    fix="Remove it.",
    match=(
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.ptrace(0, 1, 0, 0)",
        "import os\nos.mknod('a', 0o600)",
        "import os\nos.setuid(0)",
    ),
    not_match=("import ctypes\nlibm = ctypes.CDLL('libm.so.6')\nlibm.cos(1)",),
    cwe=250,
)
