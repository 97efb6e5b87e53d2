"""The rows of Health about the history."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.history.chain.heads import parse_head
from engine.history.witness.witness_file import WitnessFile
from engine.models import Check


def contradiction_check(problem: str) -> Check:
    """Return the row for something that contradicted the history."""
    return Check(name="history", ok=False, detail=Untrusted(problem), hint="pratique audit verify")


def witness_check(witness: WitnessFile) -> Check:
    """Return the row of the witness file."""
    name, problem = "witness file", witness.problem
    if problem:
        return Check(name=name, ok=False, detail=Untrusted(problem), hint=f"ls -ld {witness.path.parent}")
    head = parse_head(witness.known)
    detail = f"{witness.path} has the first {head.size:,} records" if head else "no record was made yet"
    return Check(name=name, ok=True, detail=Untrusted(detail))
