"""Reading, writing and deleting files."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.calls import pass_arguments
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, pattern, pattern_of
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall, handles
from engine.analysis.python.evaluate.values import NOTHING, PRIVATE, PythonValue, Taint, text_of
from engine.analysis.python.rules import files as rules
from engine.analysis.python.rules.network import DOWNLOAD, DOWNLOAD_RUN
from engine.analysis.python.sinks import paths
from engine.analysis.python.sinks.test_results import check_written
from engine.analysis.python.word_lists import words
from engine.models import EffectKind, Level

ENCODED_WRITE = python_rule(
    "py-encoded-write",
    "Encoded or decoded content is written to a file",
    "obfuscation_write",
    Level.MEDIUM,
    attack="Writes a payload that was stored as text, or hides the stored content.",
    why="MEDIUM: images and archives are decoded too.",
    fix="Write the plain content.",
    match=(
        "import base64\nopen('a', 'wb').write(base64.b64decode(x))",
        "from cryptography.fernet import Fernet\nopen('a', 'wb').write(Fernet(k).encrypt(d))",
        "import binascii\nf = open('a', 'w')\nprint(binascii.hexlify(x), file=f)",
    ),
    not_match=("open('a', 'w').write('x')",),
    cwe=506,
)


_WRITING = frozenset("wax+")


def path_of(value: PythonValue | None) -> str | None:
    """Return a path, with holes for what is unknown; None where all is."""
    if value is None:
        return None
    text = pattern_of(value) if not isinstance(value.const, bytes) else (text_of(value) or "")
    return None if text == HOLE else text


def access_path(
    evaluator: Evaluator,
    call: PythonCall,
    path: PythonValue | None,
    *,
    write: bool = False,
    delete: bool = False,
) -> int:
    """Report and predict what is done to a path, and return the taint of what lies there."""
    name = path_of(path)
    text = (name or "").replace(HOLE, "…")
    evaluator.add_effect(
        EffectKind.WRITE if write or delete else EffectKind.READ,
        text if name else None,
        call.node,
        pattern=name is not None and HOLE in name,
    )
    taint = Taint.FILE
    if name is not None and paths.judge(evaluator, call.node, name, path, write=write, delete=delete):
        taint |= Taint.SENSITIVE
    return int(taint)


@handles("builtins.open", "os.fdopen")
def open_file(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`open`, with its mode."""
    path = call.arg(0, "file")
    mode_value = call.arg(1, "mode")
    mode = text_of(mode_value) or ("r" if mode_value is None and not call.has(1, "mode") else "?")
    write = bool(_WRITING & set(mode))
    evaluator.report(rules.OPEN, call.node, f"Opens {shown(path)}", value=path)
    taint = access_path(evaluator, call, path, write=write)
    if write:
        evaluator.report(rules.WRITE, call.node, f"Writes {shown(path)}", severity=weight(path), value=path)
        paths.check_flood(evaluator, call.node)
    value = PythonValue(
        NOTHING if path is None else path.const, "builtins.open()", taint=taint if not write else 0
    )
    value.items = {"path": path, "write": PythonValue(write)}
    value.trail = (call.node,)
    return value


def weight(*targets: PythonValue | None) -> Level | None:
    """Writing below the working folder, or in the folder for temporary files, is what a script does."""
    return None if any(map(_elsewhere, targets)) else Level.LOW


def _elsewhere(path: PythonValue | None) -> bool:
    name = path_of(path)
    if name is None:
        return path is not None and bool(path.taint & (Taint.NETWORK | Taint.SOCKET | Taint.DECODED))
    return paths.OUTSIDE.search(name) is not None and not paths.is_temporary(name)


def shown(path: PythonValue | None) -> str:
    """Return a path as people read it."""
    name = path_of(path)
    return f"`{name.replace(HOLE, '…')[:120]}`" if name else "a file that is known only at run time"


@handles("os.open")
def open_descriptor(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`os.open`, whose flags say whether it writes."""
    flags = call.arg(1, "flags")
    write = not (flags is not None and flags.name == "os.O_RDONLY")
    taint = access_path(evaluator, call, call.arg(0, "path"), write=write)
    evaluator.report(rules.WRITE if write else rules.OPEN, call.node, f"Opens {shown(call.arg(0))}")
    return PythonValue(name="os.descriptor", taint=taint)


def _written(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """What is written to a file: from the network, or decoded."""
    content = call.arg(0)
    taint = call.taint
    receiver = call.receiver
    path = receiver.items.get("path") if receiver is not None and receiver.items else None
    name = path_of(path) or ""
    check_content(evaluator, call, taint, name, content)
    check_written(evaluator, call, name, content)
    paths.check_volume(evaluator, call.node, content)
    return None


def check_content(
    evaluator: Evaluator, call: PythonCall, taint: int, name: str, content: PythonValue | None
) -> None:
    """Report content from the network, or of an encoding, that goes to a file."""
    if taint & (Taint.NETWORK | Taint.SOCKET) and not taint & PRIVATE:
        program = paths.is_program(name) or paths.is_system(name)
        evaluator.report(
            DOWNLOAD,
            call.node,
            "Content from the network goes to a file",
            severity=Level.HIGH if program else None,
            value=content,
        )
        evaluator.downloaded.add(name)
    elif taint & (Taint.DECODED | Taint.ENCODED):
        every = bool(taint & Taint.ENCODED and evaluator.loops and not name.strip(HOLE + "/."))
        hidden = paths.is_hidden(name) or paths.is_program(name) or every
        evaluator.report(
            ENCODED_WRITE,
            call.node,
            "Encoded or decoded content goes to a file",
            severity=Level.HIGH if hidden else None,
            value=content,
        )


@handles("builtins.print")
def printed(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """What is printed to a file is written to it."""
    pass_arguments(evaluator, call)
    target = call.keywords.get("file")
    if target is not None and target.name == "builtins.open()":
        _written(evaluator, PythonCall(call.node, call.name, call.args, {}, target))
    return None


for _method in ("write", "writelines"):
    CALLS[f"builtins.open().{_method}"] = _written
    CALLS[f"tempfile.NamedTemporaryFile().{_method}"] = _written


@handles("builtins.open().read", "builtins.open().readlines", "builtins.open().readline")
def read_file(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """What lies in the file."""
    receiver = call.receiver
    value = PythonValue(taint=receiver.taint if receiver is not None else Taint.FILE)
    value.trail = receiver.trail if receiver is not None else ()
    return value


@handles("os.write")
def write_descriptor(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """What is written to a descriptor."""
    check_content(evaluator, call, call.taint, "", call.arg(1))
    return None


# --- os and shutil ---

_WRITERS = {
    "os.rename": (0, 1),
    "os.renames": (0, 1),
    "os.replace": (0, 1),
    "os.link": (0, 1),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.mkfifo": (0,),
    "os.chown": (0,),
    "os.utime": (0,),
    "os.lchown": (0,),
    "shutil.copy": (1,),
    "shutil.copy2": (1,),
    "shutil.copyfile": (1,),
    "shutil.copytree": (1,),
    "shutil.move": (0, 1),
    "shutil.chown": (0,),
    "shutil.make_archive": (0,),
    "os.mkdir": (0,),
    "os.makedirs": (0,),
}
_MAKERS = frozenset(("os.mkdir", "os.makedirs", "os.link", "os.symlink", "os.mkfifo"))


@handles(*_WRITERS)
def write_path(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A file moved, copied or made."""
    for index in _WRITERS[call.name]:
        access_path(evaluator, call, call.arg(index, ("src", "dst")[index > 0]), write=True)
    if call.name.startswith("shutil.co"):
        access_path(evaluator, call, call.arg(0, "src"))
    moved = " to ".join(shown(arg) for arg in call.args[:2] if arg is not None)
    targets = (call.arg(index, ("src", "dst")[index > 0]) for index in _WRITERS[call.name])
    evaluator.report(rules.WRITE, call.node, f"`{call.name}` {moved}".rstrip(), severity=weight(*targets))
    if call.name in _MAKERS:
        paths.check_flood(evaluator, call.node)
    return None


_DELETERS = ["os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree", "send2trash.send2trash"]


@handles(*_DELETERS)
def delete_path(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A file or tree deleted."""
    path = call.arg(0, "path")
    access_path(evaluator, call, path, delete=True)
    name = path_of(path)
    everything = name in ("/", "~", "/*", "C:\\", "/home", "..") and call.name.endswith("rmtree")
    level = Level.CRITICAL if everything else delete_weight(evaluator, name)
    evaluator.report(rules.DELETE, call.node, f"Deletes {shown(path)}", severity=level)
    return None


def delete_weight(evaluator: Evaluator, name: str | None) -> Level | None:
    """Deleting one file after the other below a place outside of the working folder is destruction."""
    outside = (
        name is not None and HOLE in name and paths.OUTSIDE.search(name) and not paths.is_temporary(name)
    )
    return Level.HIGH if outside and evaluator.loops else None


@handles("os.chmod", "os.fchmod", "os.lchmod")
def change_mode(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Rights changed: to execute, or for everybody."""
    mode = call.arg(1, "mode")
    bits = mode.const if mode is not None and isinstance(mode.const, int) else None
    path = call.arg(0, "path")
    access_path(evaluator, call, path, write=True)
    if bits is not None and not bits & 0o7133:
        return None
    if path_of(path) in evaluator.downloaded:
        evaluator.report(DOWNLOAD_RUN, call.node, "Makes a file from the network executable")
    owner = bits is not None and bool(bits & 0o6000)
    message = (
        f"{shown(path)} runs with the rights of its owner"
        if owner
        else f"Changes the rights of {shown(path)}"
    )
    evaluator.report(rules.PROGRAM_WRITE, call.node, message, severity=Level.HIGH if owner else None)
    return None


_READERS = words(
    "os.listdir os.scandir os.walk os.stat os.lstat os.access os.readlink glob.glob glob.iglob "
    "os.path.exists os.path.isfile os.path.isdir os.path.getsize linecache.getline shutil.which "
    "os.path.islink os.path.lexists"
)
_LISTING = frozenset(("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob", "linecache.getline"))


@handles(*_READERS)
def read_path(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A file or folder looked at."""
    taint = access_path(evaluator, call, call.arg(0, "path"))
    listing = call.name in _LISTING
    if listing:
        evaluator.report(rules.OPEN, call.node, f"Accesses {shown(call.arg(0))}")
        name = path_of(call.arg(0, "path")) or ""
        if name in ("/", "/home", "/root", "~", "/tmp", "/var", "/usr/bin", "/opt"):
            level = Level.HIGH if call.name == "os.walk" and name != "/tmp" else Level.MEDIUM
            evaluator.report(rules.SENSITIVE, call.node, f"Lists `{name}`", severity=level)
    value = PythonValue(name=f"{call.name}()", taint=taint if listing else 0)
    if call.name == "os.walk" and path_of(call.arg(0, "top")):
        value.name, folder = None, pattern(f"{path_of(call.arg(0, 'top'))}/{HOLE}".replace("//", "/"))
        below = PythonValue(taint=taint)
        below.items = {0: folder, 1: PythonValue(taint=taint), 2: PythonValue(taint=taint)}
        value.items = {0: below}
    return value
