"""Reads of the environment, and information about the machine and its user."""

from __future__ import annotations

import ast
import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, Handler, PythonCall, handles
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, Taint, derived
from engine.analysis.python.rules import private as rules
from engine.analysis.python.rules.objects import TAMPER
from engine.analysis.python.sinks import folding as folding  # noqa: PLC0414 - it registers the handlers that are wrapped here
from engine.analysis.python.sinks.passed import containers
from engine.analysis.python.word_lists import words
from engine.models import EffectKind, Level

ENVIRONMENT = python_rule(
    "py-environment",
    "The environment is read",
    "secrets_env",
    Level.LOW,
    attack="Searches for keys and tokens.",
    why="LOW: reading a named variable is common; the environment of the sandbox is empty.",
    fix="Pass the value as an input file, or request a secret by reference.",
    match=("import os\nos.getenv('HOME')", "import os\nos.environ['PATH']"),
    not_match=("environ['a']",),
    cwe=526,
)


_SECRET_NAME = re.compile(
    r"(?i)secret|token|passw|pwd$|api_?key|access_?key|private|credential|auth|_key$|_pat$|session|cookie"
)


def read(evaluator: Evaluator, node: ast.AST, name: str | None) -> PythonValue:
    """Return the value of an environment variable, and say what was asked for."""
    evaluator.relevant += 1
    secret = name is not None and _SECRET_NAME.search(name) is not None
    evaluator.add_effect(EffectKind.ENVIRONMENT, name, node)
    if secret:
        message = f"Reads the secret `{name}` from the environment"
        evaluator.report(rules.SECRET, node, message, severity=Level.LOW)
        evaluator.add_fact(f"secret:{name}", node)
    else:
        evaluator.report(ENVIRONMENT, node, f"Reads {name or 'a variable'} from the environment")
    value = PythonValue(taint=Taint.ENVIRONMENT | (Taint.SECRET if secret else 0))
    value.trail = (node,)
    return value


@handles("os.getenv", "os.environ.__getitem__", "os.environ.pop", "os.environ.setdefault", "os.getenvb")
def get_variable(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Read one variable."""
    name = call.text(0, "key")
    if name is not None and _SECRET_NAME.search(name) and _in_pieces(call.node):
        message = f"The name of the secret `{name}` is assembled from pieces"
        evaluator.report(rules.SECRET, call.node, message, severity=Level.HIGH)
    return read(evaluator, call.node, name)


def _in_pieces(node: ast.expr) -> bool:
    """Whether a name is written as a sum of texts, which hides it from a search."""
    key = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "slice", None)
    return isinstance(key, ast.BinOp) and all(
        isinstance(part, ast.Constant | ast.BinOp) for part in (key.left, key.right)
    )


_LOADING = frozenset(
    words(
        "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PYTHONSTARTUP PYTHONHOME BASH_ENV PROMPT_COMMAND "
        "NODE_OPTIONS PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND PYTHONBREAKPOINT PYTHONINSPECT"
    )
)
"""Variables that make other programs load or run code."""


def check_variable(evaluator: Evaluator, node: ast.AST, name: str | None) -> None:
    """Report a variable that is set so that programs started later load other code."""
    if name in _LOADING:
        evaluator.report(TAMPER, node, f"`{name}` makes other programs run the code that it names")


@handles("os.putenv", "os.environ.__setitem__", "os.environ.update")
def set_variables(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Look at the variables that are set."""
    given = call.arg(0)
    names = [*call.keywords, *(given.items if given is not None and given.items else ()), call.text(0)]
    for name in names:
        check_variable(evaluator, call.node, name if isinstance(name, str) else None)
    return None


def whole(evaluator: Evaluator, node: ast.AST) -> PythonValue:
    """Return the whole environment, and report that it was taken."""
    evaluator.relevant += 1
    evaluator.report(rules.SECRET, node, "Reads the whole environment")
    evaluator.add_effect(EffectKind.ENVIRONMENT, "*", node, pattern=True)
    value = PythonValue(taint=Taint.ENVIRONMENT | Taint.SECRET)
    value.trail = (node,)
    return value


@handles("os.environ.copy", "os.environ.items", "os.environ.values", "os.environ.keys", "os.environb.copy")
def take_environment(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Take all variables; a copy is the usual way to start a child."""
    if call.name.endswith(("copy", "keys")):
        evaluator.report(rules.SECRET, call.node, "Copies the whole environment", severity=Level.LOW)
        return PythonValue(name="os.environ", taint=Taint.ENVIRONMENT | Taint.SECRET)
    return whole(evaluator, call.node)


def _on_environment(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    first = call.arg(0)
    if first is not None and first.name == "os.environ":
        if call.name == "builtins.dict":
            return take_environment(evaluator, PythonCall(call.node, "os.environ.copy", [], {}))
        return whole(evaluator, call.node)
    previous = _BEFORE.get(call.name)
    if previous is not None:
        return previous(evaluator, call)
    if call.name == "builtins.dict" and (call.keywords or (first is not None and first.items)):
        made = PythonValue(taint=call.taint)
        made.items = {**containers.pairs_of(first), **call.keywords}
        return made
    return first if call.name == "builtins.dict" else derived(NOTHING, *call.args)


_BEFORE: dict[str, Handler] = {
    name: CALLS[name]
    for name in ("builtins.str", "builtins.list", "builtins.repr", "builtins.sorted")
    if name in CALLS
}
for _name in (
    "builtins.dict",
    "builtins.str",
    "builtins.list",
    "builtins.repr",
    "builtins.sorted",
    "json.dumps",
    "pprint.pprint",
):
    CALLS[_name] = _on_environment


_USER = frozenset(
    words(
        "resource.getrlimit os.statvfs os.sysconf os.sched_getaffinity socket.if_nameindex pwd.getpwall "
        "getpass.getuser os.getlogin pwd.getpwuid pwd.getpwall pwd.getpwnam os.getuid os.geteuid "
        "os.getgroups uuid.getnode socket.gethostbyname_ex grp.getgrall"
    )
)
_MACHINE = frozenset(
    words(
        "platform.system platform.platform platform.node platform.uname platform.version platform.release "
        "platform.machine platform.processor platform.architecture socket.gethostname socket.getfqdn "
        "os.uname locale.getlocale locale.getdefaultlocale socket.gethostbyname os.cpu_count "
        "sys.getwindowsversion platform.freedesktop_os_release platform.linux_distribution "
        "platform.mac_ver platform.win32_ver os.getcwd os.getpid os.getppid time.tzname shutil.disk_usage "
        "os.getloadavg resource.getrusage"
    )
)
_QUIET = frozenset(words("os.getcwd os.getpid os.getppid os.cpu_count shutil.disk_usage resource.getrusage"))


@handles(*_USER, *_MACHINE)
def machine(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a fact about the machine; the gathering of several is more than each."""
    user = call.name in _USER
    evaluator.add_fact("recon", call.node)
    evaluator.facts.setdefault(f"recon:{call.name}", []).append(call.node)
    evaluator.report(rules.RECON, call.node, f"`{call.name}`", severity=Level.MEDIUM if user else None)
    if call.name in _QUIET:
        return None
    value = PythonValue(name=f"{call.name}()", taint=Taint.SYSTEM)
    value.trail = (call.node,)
    return value


def conclude(evaluator: Evaluator) -> None:
    """Report three and more different facts together, and keys of two and more services."""
    keys = sorted(name for name in evaluator.facts if name.startswith("secret:"))
    if len({name.partition("_")[0] for name in keys}) >= 2:
        node = evaluator.facts[keys[0]][0]
        evaluator.report(rules.SECRET, node, "Reads the keys of several services", severity=Level.MEDIUM)
    kinds = [name for name in evaluator.facts if name.startswith("recon:") and name[6:] not in _QUIET]
    if len(kinds) >= 3:
        node = evaluator.facts["recon"][0]
        names = ", ".join(kind[6:] for kind in kinds[:6])
        evaluator.report(
            rules.RECON, node, f"Gathers facts about the machine: {names}", severity=Level.MEDIUM
        )


@handles(
    "builtins.input",
    "sys.stdin.read",
    "sys.stdin.readline",
    "sys.stdin.readlines",
    "fileinput.input",
    "getpass.getpass",
)
def user_input(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """What a person types."""
    taint = Taint.INPUT | (Taint.SECRET if call.name == "getpass.getpass" else 0)
    value = PythonValue(name=f"{call.name}()", taint=taint)
    value.trail = (call.node,)
    return value
