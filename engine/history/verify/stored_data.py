"""Whether the stored cases, code, files and output are those that the records name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic_core import from_json

from engine.history.errors import HistoryError
from engine.history.store.sql import blobs, cases, row_formats
from engine.history.verify.approvals import SIGNED, Approvals
from engine.history.verify.contents import Contents
from engine.history.verify.erased import ErasedRecords
from engine.history.verify.source import HistorySource, Row, StoredCase
from engine.models import Case

STATE = "case_sha256"
STATE_MARK = f'"{STATE}":"'
"""In the data of every record that names a case; within texts, JSON escapes its quotation marks."""

CODE_OF = "the code or a file of the case "
FILLED: Final[Mapping[str, Callable[[Case], object]]] = {"decided_after": cases.decided_after}
"""What an upgrade fills into a column of old rows, whose digest does not cover it. It leaves others empty."""
Mismatch = tuple[int, str]
"""The number of a record, and what is wrong with it."""
Wanted = tuple[str, int, str]
"""The digest of a content, the record that names it, and how a problem with it is described."""


class StoredDataChecks:
    """What is looked up for many records: contents by their digest, and the keys of reviewers."""

    def __init__(self, source: HistorySource) -> None:
        self.contents = Contents(source)
        self.approvals = Approvals(source)
        self.erased = ErasedRecords(source)
        self.unregistered = 0
        """How many approvals were given before any key was registered."""


def check_stored_data(
    source: HistorySource, checks: StoredDataChecks, rows: Sequence[Row]
) -> Mismatch | None:
    """Return the first of these records whose case, contents or signature are not as it says, or None."""
    problems, wanted = _cases(source, rows)
    problems += _approvals(checks, rows)
    wanted += _files(rows)
    wrong = checks.contents.problems(digest for digest, _, _ in wanted)
    problems += [(seq, f"{what} was {wrong[digest]}") for digest, seq, what in wanted if digest in wrong]
    return min(problems, default=None)


def fields(data: str) -> dict[str, Any]:
    """Return the data of a record as a dictionary, an empty one where it is no JSON object."""
    try:
        read = from_json(data)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _approvals(checks: StoredDataChecks, rows: Sequence[Row]) -> Iterator[Mismatch]:
    for row in rows:
        if row[2] in SIGNED and row[0] not in checks.erased:
            problem = checks.approvals.problem(row, fields(row[5]))
            checks.unregistered += problem == ""
            if problem:
                yield row[0], problem


def _files(rows: Iterable[Row]) -> Iterator[Wanted]:
    """Yield the outputs and the files that these records name."""
    for row in rows:
        if row[2] == "run.output":
            yield str(fields(row[5]).get("digest")), row[0], f"the output of {row[3]}"
        elif row[2] == "run.artifact":
            yield str(fields(row[5]).get("digest")), row[0], f"a file that {row[3]} left"


def _cases(source: HistorySource, rows: Sequence[Row]) -> tuple[list[Mismatch], list[Wanted]]:
    """Return the problems of the cases whose last record is among these, and the contents of the cases."""
    states = _last_states(rows)
    problems: list[Mismatch] = []
    wanted: list[Wanted] = []
    for case in source.cases(list(states)):
        subject = str(case.columns["id"])
        seq, state = states.pop(subject)
        if case.seq > seq:
            continue
        body = _unpacked(case.body)
        form = row_formats.FORMATS.get(case.format)
        if case.seq == seq and form and form.digest(form.values(case.columns), body) == state:
            wanted += _contents(subject, seq, body)
            if not _is_filled(case, form, body):
                problems.append((seq, f"the case {subject} was changed: it is not what record {seq} says"))
        else:
            problems.append((seq, f"the case {subject} was changed: it is not what record {seq} says"))
    problems += _uses(source, wanted)
    problems += [(seq, f"the case {subject} was removed") for subject, (seq, _) in states.items()]
    return problems, wanted


def _last_states(rows: Sequence[Row]) -> dict[str, tuple[int, object]]:
    """Return for each case that these records name the last one that does, and the digest in it."""
    states: dict[str, tuple[int, object]] = {}
    for row in reversed(rows):
        if STATE_MARK in row[5] and row[3] not in states and (state := fields(row[5]).get(STATE)):
            states[row[3]] = row[0], state
    return states


def _contents(subject: str, seq: int, body: bytes) -> Iterator[Wanted]:
    for digest in cases.contents_of(body):
        yield digest, seq, f"{CODE_OF}{subject}"


def _is_filled(case: StoredCase, form: row_formats.RowFormat, body: bytes) -> bool:
    """Return whether the columns that the row's format does not cover are what its body says."""
    added = [name for name in row_formats.current().columns if name not in form.columns]
    if not added:
        return True  # the digest covers the columns and the body, whole
    try:
        whole = cases.without_contents(body)
    except ValueError:
        return False
    return all(case.columns.get(name) == FILLED.get(name, _left_empty)(whole) for name in added)


def _left_empty(_: Case) -> None:
    """Say that an upgrade leaves a column of old rows empty."""


def _uses(source: HistorySource, wanted: Sequence[Wanted]) -> Iterator[Mismatch]:
    """Yield each case whose list of contents is not what it and its records name."""
    named: dict[str, set[str]] = {}
    place = {}
    for digest, seq, what in wanted:
        id = what.removeprefix(CODE_OF)
        named.setdefault(id, set()).add(digest)
        place[id] = seq
    listed: dict[str, set[str]] = {id: set() for id in named}
    for id, by_list, digest in source.uses(list(named)):
        (listed if by_list else named)[id].add(digest)
    for id, digests in named.items():
        if digests != listed[id]:
            yield place[id], f"the list of the contents of the case {id} was changed"


def _unpacked(packed: bytes | None) -> bytes:
    try:
        return blobs.unpack(packed or b"")
    except HistoryError:
        return b""
