"""Searching finds what a scan of all cases finds, in every implementation of HistoryStore."""

from __future__ import annotations

import asyncio
import operator
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.models import (
    Case,
    KillReason,
    Language,
    Level,
    Status,
)
from tests.conformance.history_stores import ALICE, STORES, Implementation, opened, record
from tests.engine.history.conftest import build_case

BEGIN = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)


class Condition(NamedTuple):
    """A term of a filter, and whether a case fits it."""

    text: str
    fits: Callable[[Case], bool]


def negated(condition: Condition) -> Condition:
    """Return the condition that the other one does not hold."""
    return Condition(f"-{condition.text}", lambda case: not condition.fits(case))


def one_of(key: str, values: list[str], of: Callable[[Case], str | None]) -> Condition:
    """Return the condition that a field has one of these values."""
    quoted = ",".join(f'"{value}"' if "*" in value else value for value in values)
    return Condition(f"{key}:{quoted}", lambda case: of(case) in values)


def starts(key: str, prefix: str, of: Callable[[Case], str]) -> Condition:
    """Return the condition that a field starts with a text."""
    return Condition(f'{key}:"{prefix}"*', lambda case: of(case).startswith(prefix))


COMPARE = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq}


def compared(key: str, sign: str, number: int, of: Callable[[Case], float | None]) -> Condition:
    """Return the condition that a field, where it is known, compares so to a number."""

    def fits(case: Case) -> bool:
        value = of(case)
        return value is not None and bool(COMPARE[sign](value, number))

    return Condition(f"{key}:{sign}{number}", fits)


def moment(key: str, minutes: int) -> Condition:
    """Return the condition that a case was submitted since, or until, a moment."""
    at = BEGIN + timedelta(minutes=minutes)
    text = f"{key}:{at.replace(tzinfo=None).isoformat()}"
    if key == "since":
        return Condition(text, lambda case: case.submission.submitted_at >= at)
    return Condition(text, lambda case: case.submission.submitted_at < at)


def reviewer_of(case: Case) -> str:
    """Return who decided."""
    return case.decision.by.name.text if case.decision else ""


NAMES = ["ann", "anna", "bob", "b*b", "[x]"]
SIGNS = st.sampled_from(list(COMPARE))
CONDITIONS = st.one_of(
    st.builds(
        one_of,
        st.just("risk"),
        st.lists(st.sampled_from([level.value for level in Level]), min_size=1, max_size=3),
        st.just(lambda case: case.assessment.risk.value),
    ),
    st.builds(
        one_of,
        st.just("status"),
        st.lists(st.sampled_from([status.value for status in Status]), min_size=1, max_size=3),
        st.just(lambda case: case.status.value),
    ),
    st.builds(
        one_of,
        st.just("kill"),
        st.lists(st.sampled_from(["none", "timeout", "memory"]), min_size=1, max_size=2),
        st.just(lambda case: case.result.kill_reason.value if case.result else None),
    ),
    st.builds(
        starts,
        st.just("requester"),
        st.sampled_from(["a", "ann", "anna", "b", "[", "z"]),
        st.just(lambda case: case.submission.requester.name.text),
    ),
    st.builds(
        one_of,
        st.just("reviewer"),
        st.lists(st.sampled_from(["ann", "bob"]), min_size=1, max_size=2),
        st.just(reviewer_of),
    ),
    st.builds(
        compared,
        st.just("lines"),
        SIGNS,
        st.integers(0, 4),
        st.just(lambda case: case.submission.draft.code.text.count("\n")),
    ),
    st.builds(
        compared,
        st.just("duration"),
        SIGNS,
        st.integers(0, 4),
        st.just(lambda case: case.result.duration if case.result else None),
    ),
    st.builds(moment, st.sampled_from(["since", "until"]), st.integers(-1, 10)),
)
TERMS = st.lists(st.one_of(CONDITIONS, st.builds(negated, CONDITIONS)), max_size=3)
CASES = st.lists(
    st.fixed_dictionaries(
        {
            "code": st.integers(1, 4).map(lambda lines: "x\n" * lines),
            "risk": st.sampled_from(Level),
            "status": st.sampled_from(Status),
            "language": st.sampled_from(Language),
            "requester": st.sampled_from(NAMES),
            "reviewer": st.sampled_from(["", "ann", "bob"]),
            "minutes": st.integers(0, 9),
        },
        optional={
            "kill_reason": st.sampled_from([KillReason.NONE, KillReason.TIMEOUT, KillReason.MEMORY]),
            "duration": st.integers(0, 4).map(float),
        },
    ),
    max_size=12,
)


def case_of(number: int, fields: dict[str, Any]) -> Case:
    """Return a case of the drawn fields."""
    at = BEGIN + timedelta(minutes=fields["minutes"])
    given = {name: value for name, value in fields.items() if name != "minutes"}
    return build_case(f"s{number}", submitted_at=at, **given)


@pytest.mark.parametrize("name", STORES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=CASES, filters=st.lists(TERMS, min_size=1, max_size=6))
def test_search_finds_what_a_scan_would(
    name: str, drawn: list[dict[str, Any]], filters: list[list[Condition]]
) -> None:
    """A filter lists, pages and counts exactly the cases that fit each of its terms, the newest first."""
    cases = [case_of(number, fields) for number, fields in enumerate(drawn)]
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare_search(STORES[name], Path(folder), cases, filters))


async def compare_search(
    implementation: Implementation, folder: Path, cases: list[Case], filters: list[list[Condition]]
) -> None:
    """Compare what a store finds with what a scan of all its cases finds."""
    async with opened(implementation, folder) as store:
        for case in cases:
            await record(store, case, durable=False)
        await store.append("history.viewed", "", ALICE, {})
        for terms in filters:
            text = " ".join(term.text for term in terms)
            fitting = [case for case in reversed(cases) if all(term.fits(case) for term in terms)]
            expected = [case.submission.id for case in fitting]
            assert expected == [row.id for row in await store.read.summaries(text)], text
            first = await store.read.summaries(text, limit=2)
            rest = await store.read.summaries(text, before=first[-1].id) if first else ()
            assert expected == [row.id for row in (*first, *rest)], text
            assert len(expected) == (await store.read.facets(text)).total, text
