"""Reads drafts from files and folders of code."""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.common.errors import Problem
from engine.common.file_faults import PolicyError
from engine.common.strict_yaml import parse
from engine.common.text import Untrusted, visible
from engine.models import (
    CommentReply,
    Draft,
    ExpectedOutput,
    InputFile,
    Language,
    Operation,
    Permissions,
)

LANGUAGES = {
    ".py": Language.PYTHON,
    ".js": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".sh": Language.SHELL,
    ".bash": Language.SHELL,
}
"""The language of a file, by its suffix."""


REQUEST = "request.yaml"
"""The file that holds the request of a folder of code."""
MOST_ASKED = 64 * 1024
"""Bytes of a request: YAML is read slowly."""
MOST_FILES = 256


class Asked(BaseModel):
    """What `request.yaml` may say; a key that is not here is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: Untrusted = Untrusted("")
    language: Language | None = None
    image: str = ""
    permissions: Permissions = Permissions()
    session: str = ""
    operation: Operation | None = None
    expect: ExpectedOutput = ExpectedOutput.ANYTHING
    verify: str = ""
    revises: str = ""
    replies: tuple[CommentReply, ...] = ()


def read_draft(path: Path, max_bytes: int, language: Language | None = None) -> Draft:
    """Return the draft of a file of code; its suffix decides the language where none is given.

    Raises:
        Problem: it is no regular file, too large, in no known language, or not UTF-8.
    """
    language = language or LANGUAGES.get(path.suffix.lower())
    if language is None:
        known = " ".join(LANGUAGES)
        shown = visible(path.name or str(path))
        raise Problem(415, f"{shown}: not a language that runs here", hint=f"Use one of {known}")
    try:
        return Draft(code=Untrusted(_read(path, max_bytes).decode()), language=language)
    except UnicodeDecodeError as error:
        raise Problem(422, f"{visible(path.name)} is not UTF-8 text, from byte {error.start} on") from None


def read_folder(folder: Path, max_bytes: int) -> Draft:
    """Return the draft of a folder: one `main.*`, perhaps `request.yaml`, and input files.

    Raises:
        Problem: there is not one main file, something in it is no regular file, or it is too large.
    """
    contents = _read_all(folder, max_bytes)
    mains = [name for name in contents if is_main(name)]
    if len(mains) != 1:
        raise Problem(422, f"{visible(folder.name)} has {len(mains)} main files", hint="Keep one main.py")
    asked = _asked(contents.pop(REQUEST, b""))
    try:
        code = Untrusted(contents.pop(mains[0]).decode())
    except UnicodeDecodeError as error:
        raise Problem(422, f"{visible(mains[0])} is not UTF-8 text, from byte {error.start} on") from None
    language = asked.language or LANGUAGES[Path(mains[0]).suffix.lower()]
    files = tuple(InputFile(name=Untrusted(name), content=body) for name, body in sorted(contents.items()))
    wanted = {name: getattr(asked, name) for name in Asked.model_fields if name != "language"}
    try:
        return Draft(code=code, language=language, files=files, **wanted)
    except ValidationError as error:
        raise _wrong(error) from None


def is_main(name: str) -> bool:
    """Return whether a file of a folder is the one that runs."""
    path = Path(name)
    return path.stem == "main" and path.suffix.lower() in LANGUAGES


def _asked(text: bytes) -> Asked:
    if len(text) > MOST_ASKED:
        raise Problem(413, f"{REQUEST} is over {MOST_ASKED} bytes")
    try:
        return Asked.model_validate(parse(Path(REQUEST), text).value or {})
    except PolicyError as error:
        raise Problem(422, visible(str(error))) from None
    except ValidationError as error:
        raise _wrong(error) from None


def _wrong(error: ValidationError) -> Problem:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return Problem(422, visible(f"{REQUEST}: {where}: {first['msg']}"))


def _read_all(folder: Path, max_bytes: int) -> dict[str, bytes]:
    """Read the files of a folder, which cannot be exchanged for another meanwhile."""
    try:
        within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise Problem(422, f"{visible(folder.name)} cannot be read: {error.strerror}") from None
    try:
        with os.scandir(within) as entries:
            names = [entry.name for entry in islice(entries, MOST_FILES + 1)]
        if len(names) > MOST_FILES:
            raise Problem(413, f"{visible(folder.name)} has over {MOST_FILES} files")
        contents: dict[str, bytes] = {}
        left = max_bytes
        for name in names:
            if not name.isprintable() or not _is_text(name):
                raise Problem(422, f"{visible(folder.name)}: a file has the name {visible(name)}")
            contents[name] = _read(Path(name), left, within)
            left -= len(contents[name])
        return contents
    finally:
        os.close(within)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(path: Path, max_bytes: int, within: int | None = None) -> bytes:
    """Read a regular file without following a link and without waiting on a FIFO."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=within)
    except FileNotFoundError:
        raise Problem(404, f"there is no {visible(str(path))}") from None
    except OSError as error:
        raise Problem(422, f"{visible(path.name)} cannot be read: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Problem(422, f"{visible(path.name)} is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            body = file.read(max_bytes + 1)
        if len(body) > max_bytes:
            raise Problem(413, f"{visible(path.name)} is over {max_bytes} bytes")
        return body
    finally:
        os.close(descriptor)
