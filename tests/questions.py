"""Twelve questions of incident responders, as docs/investigating.md has them, for tests and benchmarks."""

from __future__ import annotations

from typing import NamedTuple

DOCUMENTED: dict[str, object] = {"host": 7, "few": 1, "id": "000000100", "word": "requests", "small": 34}
"""The values in the documentation. All of them are in the made-up history of `SEED` and `RUNS`."""
SEED, RUNS = 1, 1500


class Question(NamedTuple):
    """A question, the query that answers it with gaps for its values, and the field that is counted."""

    words: str
    form: str
    by: str

    def query(self, **values: object) -> str:
        """Return the query about these values, else about those of the documentation."""
        return self.form.format(**{**DOCUMENTED, **values})


QUESTIONS = (
    Question(
        "Who contacted the host that the data went to?", "observed.host:host-{host}.example", "requester"
    ),
    Question(
        "Who approved anything that contacted it?", "approver:* observed.host:host-{host}.example", "reviewer"
    ),
    Question(
        "Who asked for it and was refused?",
        "requested.host:host-{host}.example -decision:approved",
        "requester",
    ),
    Question(
        "What did this agent submit that weekend?",
        "agent:agent-{few} submitted:2026-02-28..2026-03-01",
        "status",
    ),
    Question("Did anybody submit code like it before?", "like:s-{id} until:2025-12-01", "requester"),
    Question("Whose code imports the package that was taken over?", 'code:"import {word}"', "requester"),
    Question(
        "Which runs wrote the files that were tampered with?", "observed.path:/workspace/{word}-{small}*",
        "requester",
    ),
    Question("Did what leaked come out of a run here?", 'output:"result of {small}"', "requester"),
    Question("Who let CRITICAL code run?", "risk:critical decision:approved", "reviewer"),
    Question(
        "Which grave approvals took less than two seconds?",
        "risk:high,critical decision:approved waited:<2s",
        "reviewer",
    ),
    Question(
        "What took too much, or ran much longer than others?", "kill:memory,timeout OR duration:>10s",
        "requester",
    ),
    Question(
        "Who said that it plots, ran a shell, and reached a host?",
        "purpose:plot lang:shell observed.host:* effect:write",
        "requester",
    ),
)  # fmt: skip
