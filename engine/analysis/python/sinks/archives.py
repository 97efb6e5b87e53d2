"""Archives and temporary files."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import METHODS, PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue, text_of
from engine.models import Level

ARCHIVE = python_rule(
    "py-archive-extract",
    "An archive is extracted without checking its names",
    "fs_write",
    Level.MEDIUM,
    attack="Writes outside the folder through `..` or links, or expands to terabytes.",
    why="MEDIUM: harmless for an archive of your own.",
    fix="Pass `filter='data'` and check sizes.",
    match=("import tarfile\ntarfile.open('a').extractall()", "import shutil\nshutil.unpack_archive('a')"),
    not_match=("import tarfile\ntarfile.open('a').extractall(filter='data')",),
    cwe=22,
)
TEMP_NAME = python_rule(
    "py-temporary-name",
    "A temporary file has a guessable name",
    "fs_write",
    Level.MEDIUM,
    attack="Creates a link under that name before the file is opened.",
    why="MEDIUM: needs another user on the machine.",
    fix="Use `tempfile.NamedTemporaryFile` or `mkstemp`.",
    match=("import tempfile\ntempfile.mktemp()",),
    not_match=("import tempfile\ntempfile.mkstemp()",),
    cwe=377,
)


# --- archives and temporary files ---


@handles(
    "tarfile.open().extractall",
    "tarfile.TarFile().extractall",
    "tarfile.TarFile.open().extractall",
    "zipfile.ZipFile().extractall",
    "shutil.unpack_archive",
)
def extract(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """An archive unpacked."""
    chosen = call.keywords.get("filter")
    if chosen is None or text_of(chosen) not in ("data", "tar"):
        evaluator.report(ARCHIVE, call.node, f"`{call.name}` trusts the names in the archive")
    return None


def _extract_method(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    return extract(evaluator, call)


METHODS["extractall"] = _extract_method


@handles("tempfile.mktemp")
def temporary_name(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A guessable name."""
    evaluator.report(TEMP_NAME, call.node, "`mktemp` returns a name that others can use first")
    return None


@handles("tempfile.gettempdir", "tempfile.mkdtemp")
def temporary_folder(_: Evaluator, __: PythonCall) -> PythonValue | None:
    """Where temporary files lie."""
    return PythonValue("/tmp")
