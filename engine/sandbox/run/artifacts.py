"""The files that a run leaves. Their names, their number and their sizes are the guest's word."""

from __future__ import annotations

import hashlib

from engine.common.text import Untrusted
from engine.models import Artifact
from engine.sandbox.api.job import ArtifactKeeper, Job
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import safe_name

_MOST = 256


def sift(
    job: Job, files: list[tuple[str, bytes]], omitted: int = 0
) -> tuple[list[tuple[Artifact, bytes]], tuple[str, ...]]:
    """Return what is new and well named among the files, and a note about what is not.

    `omitted` is how many did not fit and never came.
    """
    given = {file.name.text: file.content for file in job.files}
    found: list[tuple[Artifact, bytes]] = []
    dropped, seen = omitted, set[str]()
    for name, content in files:
        if given.get(name) == content:
            continue
        if name in seen or not well_named(name) or len(found) >= _MOST:
            dropped += 1
            continue
        seen.add(name)
        digest = hashlib.sha256(content).hexdigest()
        found.append((Artifact(name=Untrusted(name), size=len(content), digest=digest), content))
    return found, (f"{dropped} files were left in the sandbox",) if dropped else ()


def well_named(name: str) -> bool:
    """Say whether a guest's name is one that a file of ours may have."""
    try:
        name.encode()
        safe_name(Untrusted(name))
    except ValueError:
        return False
    return True


async def kept(
    job: Job, word: ExitReport, keeper: ArtifactKeeper | None
) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
    """Hand the new files of a last word to the keeper, and return what they are."""
    found, notes = sift(job, word.files, word.omitted)
    if keeper is not None:
        for artifact, content in found:
            await keeper.append_artifact(job.run, artifact, content)
    return tuple(artifact for artifact, _ in found), notes
