"""The folder that a coding agent works in: a copy of it for the sandbox, and what changed there, as a diff.

Nothing that lies in the folder is run for this, and no link is followed: an agent may have written it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted, mark_hidden
from engine.models import Case, InputFile
from engine.policy.output.masking import mask_secrets, secrets

MOST_FILES = 250
MOST_BYTES = 8 << 20
MOST_FILE_BYTES = 1 << 20
MOST_DIFF = 64 * 1024
LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv", "build", "dist", "target"})
"""Folders that are made from others. Names that begin with a dot are left out as well."""
SECRET = re.compile(
    r".*\.(pem|key|p12|pfx|jks|keystore|kdbx|tfstate)|id_[a-z0-9]+|.*(credential|secret).*", re.I
)
"""Names of files that hold secrets."""
HINT = "Run the command in a smaller folder, or have it run without files: --otherwise sandbox"


def copied(folder: str) -> tuple[InputFile, ...]:
    """Return the files of a folder, without hidden ones, what is made from others, and secrets.

    Raises:
        Problem: there is no such folder, or it is larger than may be taken along.
    """
    if not folder or not os.path.isdir(folder):  # noqa: PTH112  as the agent wrote it
        raise Problem(404, "the folder of the command is not known", hint=HINT)
    files: list[InputFile] = []
    size = 0
    for path in _files(Path(folder)):
        content = _content(path)
        if content is None:
            continue
        size += len(content)
        if len(files) >= MOST_FILES or size > MOST_BYTES:
            raise Problem(413, f"the folder has over {MOST_FILES} files or {MOST_BYTES >> 20} MiB", hint=HINT)
        files.append(InputFile(name=Untrusted(path.relative_to(folder).as_posix()), content=content))
    return tuple(files)


def _files(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in LEFT_OUT)
        yield from (
            Path(above, name) for name in sorted(names) if name[0] != "." and not SECRET.fullmatch(name)
        )


def _content(path: Path) -> bytes | None:
    """Return the bytes of a plain file; None where it is none, too large, or has a secret in it."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                return None
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError:
        return None
    if len(content) > MOST_FILE_BYTES or secrets(content.decode(errors="replace")):
        return None
    return content


async def changes(client: Client, case: Case) -> str:
    """Return what a run changed of the files that it was given, as a diff; empty where it changed nothing."""
    given = {file.name.text: file.content for file in case.submission.draft.files}
    if not given or case.result is None:
        return ""
    found = ""
    for artifact in case.result.artifacts:
        if len(found) > MOST_DIFF:
            break
        content = await client.artifact(case.submission.id, artifact.name)
        found += _difference(artifact.name.text, given.get(artifact.name.text), content)
    return mark_hidden(mask_secrets(found)[:MOST_DIFF], keep="\n\t")


def _difference(name: str, before: bytes | None, after: bytes) -> str:
    try:
        old, new = (before or b"").decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        return f"Binary file {name} changed ({len(after)} bytes)\n"
    origin = "/dev/null" if before is None else f"a/{name}"
    return "".join(f"{line}\n" for line in unified_diff(old, new, origin, f"b/{name}", lineterm=""))
