"""Path objects."""

from __future__ import annotations

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, path_below, pattern_of
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.rules import files as rules
from engine.analysis.python.sinks import paths
from engine.analysis.python.sinks.files import (
    access_path,
    check_content,
    delete_weight,
    open_file,
    path_of,
    shown,
    weight,
)
from engine.analysis.python.sinks.test_results import check_written
from engine.analysis.python.word_lists import words

# --- pathlib ---from engine.analysis.python.sinks.test_results import check_written


@handles("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.Path.home", "pathlib.Path.cwd")
def make_path(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """A path object, whose constant is its path."""
    if call.name == "pathlib.Path.home":
        return PythonValue("~", "pathlib.Path()")
    if call.name == "pathlib.Path.cwd":
        return PythonValue(name="pathlib.Path()")
    parts = [pattern_of(arg) for arg in call.args]
    value = PythonValue(name="pathlib.Path()", taint=call.taint)
    if parts and all(part != HOLE for part in parts):
        value.const = "/".join(parts)
    return value


_PATH_READS = ("read_text", "read_bytes", "iterdir", "glob", "rglob", "stat", "exists", "is_file", "is_dir")
_PATH_WRITES = words(
    "write_text write_bytes mkdir touch rename replace symlink_to hardlink_to chmod lchmod link_to"
)
_QUIET_READS = frozenset(("exists", "is_file", "is_dir", "stat"))


def _path_read(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    taint = access_path(evaluator, call, call.receiver)
    if call.name.rpartition(".")[2] not in _QUIET_READS:
        evaluator.report(rules.OPEN, call.node, f"Reads {shown(call.receiver)}")
    value = PythonValue(taint=taint)
    if call.name.endswith(("iterdir", "glob")):
        value.items = {0: path_below(call.receiver, None)}
    return value


def _path_write(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    access_path(evaluator, call, call.receiver, write=True)
    paths.check_flood(evaluator, call.node)
    evaluator.report(rules.WRITE, call.node, f"Writes {shown(call.receiver)}", severity=weight(call.receiver))
    if call.name.endswith(("rename", "replace", "_to")):
        access_path(evaluator, call, call.arg(0), write=True)
    check_content(evaluator, call, call.taint, path_of(call.receiver) or "", call.arg(0))
    check_written(evaluator, call, path_of(call.receiver) or "", call.arg(0))
    return None


for _method in _PATH_READS:
    CALLS[f"pathlib.Path().{_method}"] = _path_read
for _method in _PATH_WRITES:
    CALLS[f"pathlib.Path().{_method}"] = _path_write


@handles("pathlib.Path().open")
def path_open(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`Path.open` is `open`."""
    args = [call.receiver, *call.args]
    return open_file(evaluator, PythonCall(call.node, "builtins.open", args, call.keywords))


@handles("pathlib.Path().unlink", "pathlib.Path().rmdir")
def path_delete(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A path deleted."""
    access_path(evaluator, call, call.receiver, delete=True)
    level = delete_weight(evaluator, path_of(call.receiver))
    evaluator.report(rules.DELETE, call.node, f"Deletes {shown(call.receiver)}", severity=level)
    return None


@handles(
    "pathlib.Path().expanduser",
    "pathlib.Path().resolve",
    "pathlib.Path().absolute",
    "pathlib.Path().as_posix",
)
def path_same(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """The same path."""
    return call.receiver


@handles("pathlib.Path().joinpath", "pathlib.Path().with_name")
def path_join(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """A path below."""
    value = call.receiver
    for part in call.args:
        value = path_below(value, part)
    return value


# --- where packages lie ---


@handles("site.getsitepackages", "site.getusersitepackages", "sysconfig.get_path", "sysconfig.get_paths")
def packages_folder(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return where packages lie, which are imported at every start."""
    folder = PythonValue("/usr/lib/python3/site-packages")
    if not call.name.endswith("s"):
        return folder if "lib" in (call.text(0) or "") else None
    value = PythonValue()
    value.items = {0: folder, "purelib": folder, "platlib": folder}
    return folder if call.name.endswith("usersitepackages") else value
