"""Rules about processes, native code and other people's programs."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

PROCESS = python_rule(
    "py-process",
    "Another program is started",
    "process",
    Level.MEDIUM,
    attack="Runs any program with the rights of this one: shells, downloaders, deleters.",
    why="MEDIUM: honest code does it too; the command itself is analysed as shell and can raise it.",
    fix="Use a library call; if a program is needed, give a constant list of arguments and no shell.",
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
PROCESS_FOREIGN = python_rule(
    "py-process-foreign",
    "A command comes from outside or from a decoder",
    "process",
    Level.HIGH,
    attack="Whoever writes the input or answers the request runs commands here.",
    why="HIGH: nobody can review a command that is not there; CRITICAL where it comes over the network.",
    fix="Choose among constant commands; never pass text from outside to a shell.",
    match=(
        "import os\nos.system(input())",
        "import subprocess, requests\nsubprocess.run(requests.get(u).text, shell=True)",
        "import os, base64\nos.system(base64.b64decode(x).decode())",
    ),
    not_match=("import os\nos.system('ls')",),
    cwe=78,
    owasp="LLM05",
)
KILL = python_rule(
    "py-process-kill",
    "A process is killed or signalled",
    "process_kill",
    Level.MEDIUM,
    attack="Stops monitors, other users' work, or the machine's own services.",
    why="MEDIUM: a program may stop its own children; HIGH where processes are searched for.",
    fix="Use `Popen.terminate()` on processes that this code started.",
    match=(
        "import os, signal\nos.kill(pid, signal.SIGKILL)",
        "import psutil\nfor p in psutil.process_iter():\n    p.kill()",
        "import subprocess\nsubprocess.run(['pkill', '-f', 'x'])",
    ),
    not_match=("import subprocess\np = subprocess.Popen(['ls'])\np.kill()",),
    cwe=400,
)
REVERSE_SHELL = python_rule(
    "py-reverse-shell",
    "A shell is connected to a socket",
    "reverse_shell",
    Level.CRITICAL,
    attack="Gives somebody on the network a shell on this machine.",
    why="CRITICAL: there is no honest use in submitted code.",
    fix="Remove it.",
    match=(
        "import socket, os\ns = socket.socket()\ns.connect(('a', 1))\nos.dup2(s.fileno(), 0)",
        "import socket, subprocess\ns = socket.socket()\nsubprocess.call(['sh'], stdin=s.fileno())",
        "import socket, os\ns = socket.socket()\nos.system(s.recv(9).decode())",
    ),
    not_match=("import socket\ns = socket.socket()\ns.connect(('a', 1))\ns.send(b'x')",),
    cwe=506,
)
DUP = python_rule(
    "py-redirect-streams",
    "Standard streams are redirected to another descriptor",
    "reverse_shell",
    Level.MEDIUM,
    attack="Connects a shell's input and output to a socket, or hides output.",
    why="MEDIUM: daemons do it too; CRITICAL where the descriptor is a socket.",
    fix="Pass `stdin=` and `stdout=` to the child, or use `contextlib.redirect_stdout`.",
    match=("import os\nos.dup2(fd, 1)", "import pty\npty.spawn('/bin/sh')"),
    not_match=("import os\nos.dup(1)",),
    cwe=506,
)
NATIVE = python_rule(
    "py-native-code",
    "Native code is called",
    "kernel_surface",
    Level.MEDIUM,
    attack="Leaves the interpreter and its checks: any system call, any address.",
    why="MEDIUM: numeric code calls libraries; HIGH where system calls or process memory are reached.",
    fix="Use a wrapped library; do not load libraries by path.",
    match=("import ctypes\nctypes.CDLL('libm.so.6')", "import ctypes\nctypes.cdll.LoadLibrary(x)"),
    not_match=("import ctypes\nctypes.c_int(1)",),
    cwe=111,
)
SYSCALL = python_rule(
    "py-system-call",
    "The kernel is called directly",
    "kernel_surface",
    Level.HIGH,
    attack="Attacks the kernel or the sandbox: mounts, ptrace, bpf, keyrings, process memory.",
    why="HIGH: no library offers these for honest work in submitted code.",
    fix="Remove it.",
    match=(
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.ptrace(0, 1, 0, 0)",
        "import os\nos.mknod('a', 0o600)",
        "import os\nos.setuid(0)",
    ),
    not_match=("import ctypes\nlibm = ctypes.CDLL('libm.so.6')\nlibm.cos(1)",),
    cwe=250,
)
FORK = python_rule(
    "py-fork",
    "The process forks",
    "resource",
    Level.MEDIUM,
    attack="Multiplies processes, or leaves one behind that outlives the run.",
    why="MEDIUM: once is a daemon; CRITICAL in a loop.",
    fix="Use `subprocess` or `concurrent.futures`.",
    match=("import os\nos.fork()", "import os\nwhile True:\n    os.fork()"),
    not_match=("fork()",),
    cwe=400,
)

RULES = (PROCESS, PROCESS_FOREIGN, KILL, REVERSE_SHELL, DUP, NATIVE, SYSCALL, FORK)
