"""Other programs: starting, killing and connecting them."""

from __future__ import annotations

import shlex

from engine.analysis.ordinary_commands import only_shows
from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.lookups import LOOSE
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of
from engine.analysis.python.evaluate.sink_registry import (
    CALLS,
    METHODS,
    PREFIXES,
    PythonCall,
    handles,
)
from engine.analysis.python.evaluate.values import (
    DANGEROUS_CALLBACKS,
    FOREIGN,
    NOTHING,
    PythonValue,
    Taint,
    taint_of,
    taint_words,
)
from engine.analysis.python.rules import processes as rules
from engine.analysis.python.rules.network import DOWNLOAD_RUN
from engine.analysis.python.rules.resources import BOMB
from engine.analysis.python.sinks import commands
from engine.analysis.python.sinks.paths import many_turns
from engine.analysis.python.word_lists import words
from engine.models import Confidence, EffectKind, Level

PROCESS_FOREIGN = python_rule(
    "py-process-foreign",
    "A command comes from external or decoded text",
    "process",
    Level.HIGH,
    attack="Lets whoever writes the input or answers the request run commands here.",
    why="HIGH: the command cannot be reviewed; CRITICAL where it comes over the network.",
    fix="Choose among constant commands; never pass external text to a shell.",
    match=(
        "import os\nos.system(input())",
        "import subprocess, requests\nsubprocess.run(requests.get(u).text, shell=True)",
        "import os, base64\nos.system(base64.b64decode(x).decode())",
    ),
    not_match=("import os\nos.system('ls')",),
    cwe=78,
    owasp="LLM05",
)
REVERSE_SHELL = python_rule(
    "py-reverse-shell",
    "A shell is connected to a socket",
    "reverse_shell",
    Level.CRITICAL,
    attack="Gives an attacker on the network a shell on this machine.",
    why="CRITICAL: there is no legitimate use in submitted code.",
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
    Level.HIGH,
    attack="Connects a shell's input and output to a socket, or hides output.",
    why="HIGH: submitted code is no daemon; CRITICAL where the descriptor is a socket.",
    fix="Pass `stdin=` and `stdout=` to the child, or use `contextlib.redirect_stdout`.",
    match=("import os\nos.dup2(fd, 1)", "import pty\npty.spawn('/bin/sh')"),
    not_match=("import os\nos.dup(1)",),
    cwe=506,
)
FORK = python_rule(
    "py-fork",
    "The process forks",
    "resource",
    Level.MEDIUM,
    attack="Multiplies processes, or leaves one that outlives the run.",
    why="MEDIUM: a single fork is a daemon; CRITICAL in a loop.",
    fix="Use `subprocess` or `concurrent.futures`.",
    match=("import os\nos.fork()", "import os\nwhile True:\n    os.fork()"),
    not_match=("fork()",),
    cwe=400,
)


_SHELLS = words(
    "os.system os.popen os.popen2 os.popen3 os.popen4 subprocess.getoutput subprocess.getstatusoutput "
    "commands.getoutput commands.getstatusoutput commands.getstatus popen2.popen2 popen2.popen3 "
    "popen2.popen4 popen2.Popen3 popen2.Popen4 asyncio.create_subprocess_shell pexpect.run "
    "pexpect.spawn pexpect.runu invoke.run fabric.Connection().run fabric.Connection().sudo "
    "fabric.api.run fabric.api.local sh.sh pty.spawn os.startfile webbrowser.open plumbum.local "
    "IPython.get_ipython().system IPython.get_ipython().getoutput platform.popen delegator.run "
    "win32com.client.Dispatch().Run win32com.client.Dispatch().Exec "
    "win32com.client.Dispatch().ShellExecute pydoc.pipepager pydoc.tempfilepager"
)
_LISTS = words(
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
    "asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec anyio.run_process "
    "trio.run_process sh.Command subprocess._execute_child subprocess.fork_exec "
    "winpty.PtyProcess.spawn distutils.spawn.spawn setuptools._distutils.spawn.spawn"
)
_EXEC = words(
    "execl execle execlp execlpe execv execve execvp execvpe spawnl spawnle spawnlp spawnlpe spawnv "
    "spawnve spawnvp spawnvpe posix_spawn posix_spawnp"
)
DANGEROUS_CALLBACKS.update((*_SHELLS[:11], *_LISTS[:5]))
DANGEROUS_CALLBACKS.discard("webbrowser.open")
LOOSE.update((*DANGEROUS_CALLBACKS, *(f"os.{name}" for name in _EXEC), "pty.spawn"))


@handles(*_SHELLS)
def shell(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A command line for a shell."""
    at = 1 if call.name.startswith("pydoc.") else 0
    _started(evaluator, call, call.arg(at, "cmd") or call.arg(at, "command"), by_shell=True)
    if call.name == "pty.spawn":
        evaluator.add_fact("spawn-shell", call.node)
        evaluator.report(DUP, call.node, "`pty.spawn` gives a program a terminal")
    return _result(call)


@handles(*_LISTS)
def program(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A program with arguments, or a command line where `shell=True`."""
    command = call.arg(0, "args")
    if call.name.endswith("create_subprocess_exec"):
        command = _listed(call.args)
    wanted = call.keywords.get("shell")
    _started(evaluator, call, command, by_shell=wanted is not None and bool(wanted.known and wanted.const))
    for stream in ("stdin", "stdout", "stderr"):
        value = call.keywords.get(stream)
        if value is not None and value.taint & Taint.SOCKET:
            evaluator.report(REVERSE_SHELL, call.node, f"`{stream}` of the program is a socket", value=value)
    return _result(call)


@handles(*(f"os.{name}" for name in _EXEC))
def replace(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A program that takes this one's place, or is spawned."""
    args = call.args[1:] if call.name.startswith("os.spawn") else call.args
    program_ = args[0] if args else None
    rest = args[1] if len(args) > 1 and args[1] is not None and _is_list(args[1]) else None
    _started(evaluator, call, rest or program_, by_shell=False)
    return None


def _is_list(value: PythonValue) -> bool:
    return value.items is not None or isinstance(value.const, list | tuple)


def _listed(args: list[PythonValue | None]) -> PythonValue:
    value = PythonValue(taint=taint_of(*args))
    value.items = dict(enumerate(args))
    return value


def _result(call: PythonCall) -> PythonValue:
    return PythonValue(name=f"{call.name}()", taint=Taint.SYSTEM if call.args else 0)


def _started(evaluator: Evaluator, call: PythonCall, command: PythonValue | None, *, by_shell: bool) -> None:
    taint = taint_of(command)
    layers = command.layers if command is not None else ()
    foreign = taint & FOREIGN
    line = command_line(command)
    shown = (line or "").replace(HOLE, "…")[:120]
    message = f"Starts `{shown}`" if line else "Starts a program that is known only at run time"
    if taint & Taint.SOCKET and (foreign or layers):
        evaluator.report(REVERSE_SHELL, call.node, "Runs commands from a socket", value=command)
    if call.name == "webbrowser.open":
        pass
    elif layers or taint & Taint.DECODED:
        decoded = " → ".join((*layers, "command"))
        evaluator.report(PROCESS_FOREIGN, call.node, f"Decoded: {decoded}", value=command)
    elif foreign:
        level = Level.CRITICAL if foreign & (Taint.NETWORK | Taint.SOCKET) else None
        message = f"Runs a command from {taint_words(foreign)}"
        evaluator.report(PROCESS_FOREIGN, call.node, message, severity=level, value=command)
    elif by_shell and line is None and taint & Taint.ENVIRONMENT:
        message = "Runs a command from the environment"
        evaluator.report(PROCESS_FOREIGN, call.node, message, value=command)
    level = Level.LOW if call.name == "webbrowser.open" or only_shows(line) else None
    evaluator.report(rules.PROCESS, call.node, message, severity=level, value=command)
    evaluator.add_fact("process", call.node)
    evaluator.add_effect(
        EffectKind.COMMAND, shown if line else None, call.node, pattern=bool(line) and HOLE in (line or "")
    )
    if evaluator.loops and call.name.endswith(("Popen", "popen")) and many_turns(evaluator):
        evaluator.report(
            BOMB, call.node, "Starts programs in a loop without an exit, or with very many iterations"
        )
    if line is None and evaluator.downloaded:
        message = "Runs a program that may be the one written from the network"
        evaluator.report(DOWNLOAD_RUN, call.node, message, severity=Level.HIGH, value=command)
    if line:
        commands.judge(evaluator, call, command, line, by_shell=by_shell)


def command_line(command: PythonValue | None) -> str | None:
    """Return a command as a shell would read it, with holes for what is unknown; None where all is."""
    if command is None:
        return None
    if isinstance(command.const, list | tuple):
        return shlex.join(str(part) for part in command.const)
    if command.items is not None and "pattern" not in command.items:
        parts = [pattern_of(part) for part in command.items.values()]
        parts = [part if part == HOLE else shlex.quote(part) for part in parts]
        return " ".join(parts) if any(part != HOLE for part in parts) else None
    if isinstance(command.const, bytes):
        return command.const.decode("utf-8", "replace")
    text = pattern_of(command)
    return None if text == HOLE else text


@handles("webbrowser.get", "webbrowser.register", "webbrowser.GenericBrowser", "webbrowser.BackgroundBrowser")
def browser(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A browser may be any program, given as a command."""
    command = command_line(call.args[-1] if call.args else None)
    if command is not None and ("%s" in command or "/" in command):
        _started(evaluator, call, call.args[-1], by_shell=False)
    return PythonValue(name="webbrowser")


def _any_program(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`sh.ls('-l')`: every name is a program."""
    line = PythonValue(" ".join((call.name.rpartition(".")[2], *(pattern_of(arg) for arg in call.args))))
    _started(evaluator, call, line, by_shell=False)
    return _result(call)


PREFIXES["sh"] = PREFIXES["plumbum"] = _any_program


# --- killing ---


@handles(
    "os.kill",
    "os.killpg",
    "signal.pthread_kill",
    "os.abort",
    "signal.raise_signal",
    "signal.pidfd_send_signal",
    "win32api.TerminateProcess",
    "faulthandler._sigsegv",
    "faulthandler._sigabrt",
    "faulthandler._sigfpe",
    "faulthandler._fatal_error",
    "faulthandler._stack_overflow",
    "faulthandler._read_null",
)
def kill(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a signal to a process."""
    target = call.arg(0)
    everyone = target is not None and target.const in (-1, 1, 0)
    evaluator.report(rules.KILL, call.node, f"`{call.name}`", severity=Level.HIGH if everyone else None)
    return None


# --- descriptors ---


@handles("os.dup2", "os.dup")
def duplicate(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report standard streams that are pointed elsewhere."""
    if call.name == "os.dup":
        return None
    source = call.arg(0)
    if source is not None and source.taint & Taint.SOCKET:
        evaluator.report(REVERSE_SHELL, call.node, "Redirects a standard stream to a socket", value=source)
    else:
        evaluator.report(DUP, call.node, "Redirects one descriptor to another")
    evaluator.add_fact("dup2", call.node)
    return None


@handles("os.fork", "os.forkpty", "pty.fork")
def fork(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a fork; in a loop it is a bomb."""
    if many_turns(evaluator):
        evaluator.report(BOMB, call.node, "Forks in a loop without an exit, or with very many iterations")
    evaluator.report(FORK, call.node, f"`{call.name}`")
    return None


# --- other machines, and methods of things unknown ---


@handles(
    "paramiko.SSHClient().exec_command",
    "paramiko.client.SSHClient().exec_command",
    "paramiko.Transport().open_session",
)
def remote(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a command on another machine."""
    _started(evaluator, call, call.arg(0, "command"), by_shell=True)
    return PythonValue(NOTHING, "paramiko.result")


def _remote_method(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    evaluator.report(
        rules.PROCESS, call.node, "Runs a command on another machine", confidence=Confidence.MEDIUM
    )
    return None


METHODS["exec_command"] = _remote_method
METHODS["invoke_shell"] = _remote_method


for _name in ("builtins.exit", "sys.exit"):
    CALLS[_name] = lambda evaluator, call: None
