"""Which files of a guest become artifacts."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models import InputFile, Language, Limits
from engine.sandbox.api.job import Job
from engine.sandbox.run.artifacts import select_artifacts


def test_only_new_well_named_files_are_artifacts() -> None:
    """Unchanged input is not an artifact; names that leave the workspace or repeat are skipped."""
    given = InputFile(name=Untrusted("in.csv"), content=b"1")
    job = Job("r", Language.PYTHON, "i", b"", (given,), Limits())
    files = [("in.csv", b"1"), ("../x", b""), ("/x", b""), ("a", b"1"), ("a", b"2"), ("plot.png", b"P")]
    found, notes = select_artifacts(job, files)
    assert ["a", "plot.png"] == [artifact.name.text for artifact, _ in found]
    assert ("3 files were left in the sandbox",) == notes
