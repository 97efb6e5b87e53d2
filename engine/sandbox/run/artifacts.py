"""The artifacts of a run. Their names, their number and their sizes come from the guest."""

from __future__ import annotations

import hashlib

from engine.common.text import Untrusted
from engine.models import Artifact
from engine.sandbox.api.file_names import safe_name
from engine.sandbox.api.job import ArtifactKeeper, Job
from engine.sandbox.guest_protocol.exit_report import ExitReport

_MOST = 256


def select_artifacts(
    job: Job, files: list[tuple[str, bytes]], omitted: int = 0
) -> tuple[list[tuple[Artifact, bytes]], tuple[str, ...]]:
    """Return the files that are new and validly named, and a note about the others.

    `omitted` is how many did not fit and were not sent.
    """
    given = {file.name.text: file.content for file in job.files}
    found: list[tuple[Artifact, bytes]] = []
    dropped, seen = omitted, set[str]()
    for name, content in files:
        if given.get(name) == content:
            continue
        if name in seen or not is_valid_name(name) or len(found) >= _MOST:
            dropped += 1
            continue
        seen.add(name)
        digest = hashlib.sha256(content).hexdigest()
        found.append((Artifact(name=Untrusted(name), size=len(content), digest=digest), content))
    return found, (f"{dropped} files were left in the sandbox",) if dropped else ()


def is_valid_name(name: str) -> bool:
    """Return whether a name from the guest is a valid file name."""
    try:
        name.encode()
        safe_name(Untrusted(name))
    except ValueError:
        return False
    return True


async def keep_artifacts(
    job: Job, report: ExitReport, keeper: ArtifactKeeper | None
) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
    """Store the new files of an exit report, and return them."""
    found, notes = select_artifacts(job, report.files, report.omitted)
    if keeper is not None:
        for artifact, content in found:
            await keeper.append_artifact(job.run, artifact, content)
    return tuple(artifact for artifact, _ in found), notes
