"""Many synthetic submissions of one kind: the first goes through the models, the others only fill its gaps.

A million submissions through pydantic would take most of an hour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from pydantic_core import from_json

from engine.history.chain import chain
from engine.history.devtools.synthetic_case import SyntheticCase
from engine.history.search.facts.case_facts import state_facts
from engine.history.search.facts.event_facts import event_facts
from engine.history.search.facts.names import Fact
from engine.history.store.sql import blobs, cases, row_formats
from engine.history.store.sql.ledger import NewRecord
from engine.models import DecisionOutcome, KillReason, Language, Level

_STATE = "5" * 64
_GAPS = SyntheticCase(
    id="\u241f-id",
    at=datetime(1999, 12, 31, 23, 59, 57, 999991, tzinfo=UTC),
    wait=timedelta(seconds=7654321.5),
    risk=Level.LOW,
    language=Language.PYTHON,
    outcome=DecisionOutcome.APPROVED,
    kill=KillReason.NONE,
    requester="\u241f-requester",
    reviewer="\u241f-reviewer",
    seconds=1234567.125,
    code="\u241f-line\n\n",
    code_digest=blobs.digest_of(b"\xe2\x90\x9f-line\n\n"),
    digest="3" * 64,
    output_digest="7" * 64,
    output_size=987654321,
    host="\u241f-host",
    path="\u241f-path",
    purpose="\u241f-purpose",
)
_NAMES = {
    _GAPS.id: "id",
    chain.stamp(_GAPS.at): "at",
    chain.stamp(_GAPS.at + _GAPS.wait): "decided_at",
    _GAPS.requester: "requester",
    _GAPS.reviewer: "reviewer",
    str(_GAPS.seconds): "seconds",
    str(_GAPS.wait.total_seconds()): "wait",
    "\u241f-line": "first_line",
    _GAPS.code_digest: "code_digest",
    _GAPS.digest: "digest",
    _GAPS.output_digest: "output_digest",
    str(_GAPS.output_size): "output_size",
    _GAPS.host: "host",
    _GAPS.path: "path",
    _GAPS.purpose: "purpose",
    _STATE: "state",
}
_GAP = re.compile("|".join(map(re.escape, _NAMES)))
Gapped = tuple[str, tuple[str, ...]]
"""Text with `%s` in its gaps, and what goes into each."""


class SyntheticRows(NamedTuple):
    """A made-up submission ready to be written."""

    encoded: cases.EncodedCase
    entries: list[NewRecord]
    facts: list[Fact]
    """But for those of its code."""


class CaseTemplate:
    """The shape of all made-up submissions that differ in nothing but names, times, contents and sizes."""

    def __init__(self, kind: SyntheticCase) -> None:
        empty = replace(_GAPS, risk=kind.risk, language=kind.language, outcome=kind.outcome, kill=kind.kill)
        encoded = cases.encode(empty.case())
        self._columns = [_NAMES.get(str(column), "") for column in encoded.columns]
        self._plain = encoded.columns
        self._body = _gapped(encoded.body.decode())
        self._events = [
            (type, _gapped(actor), _gapped(chain.canonical_data(data)))
            for type, actor, data in empty.events(_STATE)
        ]
        self._facts = [(field, _gapped(value)) for field, value in sorted(_facts_of(empty, encoded.body))]

    def rows(self, run: SyntheticCase) -> SyntheticRows:
        """Return the rows of a submission of this kind."""
        values = _values(run)
        fill = partial(_fill, values=values)
        columns = tuple(
            values[name] if name else plain for name, plain in zip(self._columns, self._plain, strict=True)
        )
        body = fill(self._body).encode()
        digest = row_formats.current().digest(columns, body)
        values["state"] = digest
        entries = [
            NewRecord(chain.stamp(at), type, run.id, fill(actor), fill(data))
            for at, (type, actor, data) in zip(_times(run), self._events, strict=False)
        ]
        encoded = cases.EncodedCase(columns, body, digest, ())
        return SyntheticRows(encoded, entries, [(field, fill(value)) for field, value in self._facts])


def _facts_of(run: SyntheticCase, body: bytes) -> set[Fact]:
    """Return what a submission is found by, but for its code."""
    found = set(state_facts(from_json(body)))
    for at, (type, actor, data) in zip(_times(run), run.events(_STATE), strict=False):
        found.update(event_facts(type, actor, chain.stamp(at), data))
    return found


def _values(run: SyntheticCase) -> dict[str, object]:
    return {
        "id": run.id,
        "at": chain.stamp(run.at),
        "decided_at": chain.stamp(run.at + run.wait),
        "requester": run.requester,
        "reviewer": run.reviewer,
        "seconds": run.seconds,
        "wait": run.wait.total_seconds(),
        "first_line": run.code.partition("\n")[0],
        "code_digest": run.code_digest,
        "digest": run.digest,
        "output_digest": run.output_digest,
        "output_size": run.output_size,
        "host": run.host,
        "path": run.path,
        "purpose": run.purpose,
    }


def _times(run: SyntheticCase) -> Sequence[datetime]:
    """Return when each event was: the run follows the decision, and its end comes last."""
    step = timedelta(milliseconds=20)
    decided = run.at + run.wait
    started = [decided + step * number for number in range(1, 7)]
    ended = decided + timedelta(seconds=run.seconds) + step * 7
    claimed = () if run.outcome is DecisionOutcome.EXPIRED else (decided - step,)
    return (run.at, run.at + step, run.at + step * 2, *claimed, decided, *started, ended, ended + step)


def _gapped(text: str) -> Gapped:
    names = tuple(_NAMES[found] for found in _GAP.findall(text))
    return _GAP.sub("%s", text.replace("%", "%%")), names


def _fill(gapped: Gapped, values: dict[str, object]) -> str:
    text, names = gapped
    return text % tuple([values[name] for name in names])
