"""Archives and temporary files."""

from __future__ import annotations

from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.sink_registry import METHODS, Call, handles
from engine.analysis.python.evaluate.values import Value, text_of
from engine.analysis.python.rules import files as rules

# --- archives and temporary files ---


@handles(
    "tarfile.open().extractall",
    "tarfile.TarFile().extractall",
    "tarfile.TarFile.open().extractall",
    "zipfile.ZipFile().extractall",
    "shutil.unpack_archive",
)
def extract(walk: Walk, call: Call) -> Value | None:
    """An archive unpacked."""
    chosen = call.keywords.get("filter")
    if chosen is None or text_of(chosen) not in ("data", "tar"):
        walk.report(rules.ARCHIVE, call.node, f"`{call.name}` trusts the names in the archive")
    return None


def _extract_method(walk: Walk, call: Call) -> Value | None:
    return extract(walk, call)


METHODS["extractall"] = _extract_method


@handles("tempfile.mktemp")
def temporary_name(walk: Walk, call: Call) -> Value | None:
    """A guessable name."""
    walk.report(rules.TEMP_NAME, call.node, "`mktemp` gives a name that others can take first")
    return None


@handles("tempfile.gettempdir", "tempfile.mkdtemp")
def temporary_folder(_: Walk, __: Call) -> Value | None:
    """Where temporary files lie."""
    return Value("/tmp")
