"""What retention has erased of a submission, and by which rule."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Literal

from engine.common.text import Untrusted
from engine.history.store.sql import blobs, cases
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.queries import artifacts, output_blocks
from engine.history.store.sql.stored_contents import is_kept
from engine.models import Case, Erasure

_BODY = "SELECT body FROM cases JOIN case_states USING (n) WHERE id = ?"
_ERASED = "SELECT data FROM events WHERE type = 'history.erased' ORDER BY seq DESC"

StoredContent = tuple[Literal["code", "file", "output", "artifact"], str, str]
"""What it is, its digest, and its name where it has one."""


def erasures(connection: SqlConnection, id: str) -> tuple[Erasure, ...]:
    """Return what was erased: code and files first, then output and what the run left."""
    gone = [content for content in contents(connection, id) if not is_kept(connection, content[1])]
    rules = _rules(connection, {digest for _, digest, _ in gone})
    _, partly = erased_output(connection, id)
    return tuple(
        Erasure(
            what=what,
            digest=digest,
            rule=rules[digest],
            name=Untrusted(name),
            partly=partly and what == "output",
        )
        for what, digest, name in gone
        if digest in rules
    )


def erased_output(connection: SqlConnection, id: str) -> tuple[str, bool]:
    """Return the rule by which output was erased, empty where none was, and whether some is there."""
    digests = {block.digest for block in output_blocks(connection, id)}
    gone = {digest for digest in digests if not is_kept(connection, digest)}
    return next(iter(_rules(connection, gone).values()), ""), gone != digests


def contents(connection: SqlConnection, id: str) -> Iterator[StoredContent]:
    """Yield the code, the files, the output and the artifacts of a case, whether they are kept or not."""
    if row := connection.execute(_BODY, (id,)).fetchone():
        body = blobs.unpack(row[0])
        code, *files = cases.contents_of(body)
        yield "code", code, ""
        draft = Case.model_validate_json(body).submission.draft
        for file, digest in zip(draft.files, files, strict=True):
            yield "file", digest, file.name.text
    for block in output_blocks(connection, id):
        yield "output", block.digest, ""
    for artifact in artifacts(connection, id):
        yield "artifact", artifact.digest, artifact.name.text


def _rules(connection: SqlConnection, digests: Iterable[str]) -> dict[str, str]:
    """Return by which rule each of these contents was erased last; those without a record are missing."""
    found: dict[str, str] = {}
    wanted = set(digests)
    for (data,) in connection.execute(_ERASED) if wanted else ():
        event = json.loads(data)
        for digest in wanted.intersection(event["digests"]):
            found[digest] = event["rule"]
            wanted.discard(digest)
        if not wanted:
            break
    return found
