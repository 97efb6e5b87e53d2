"""What a query finds in a history is what a naive evaluation over all cases finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.history.search.pivots import pivots
from engine.history.search.query.errors import QueryError
from engine.history.search.query.fields import FIELDS, FieldKind
from engine.history.search.query.parser import parse
from engine.history.search.query.tree import And, Not, Or, Query, Range, Value, Wild
from engine.history.store.sql.search import alike, leaves, planner, totals
from engine.history.store.sql.store import SqlHistoryStore
from engine.models import Case, DecisionOutcome, Grant, Permissions, Status
from engine.models.history import Total
from engine.models.observed import (
    EffectMatch,
    Observation,
    ObservationStatus,
    ObservedEffect,
    ObservedKind,
    Relation,
    SurpriseAction,
)
from engine.settings import HistorySettings
from tests.conformance.history_stores import STORES
from tests.engine.history.conftest import build_case

ENGINE = Untrusted("engine")
BEGIN = datetime(2026, 11, 20, 6, tzinfo=UTC)
HOSTS = ("api.example", "hooks.example", "169.254.169.254")
PATHS = ("/etc/passwd", "/workspace/a b.csv", "/tmp/x%y_z")
PEOPLE = ("alice", "bob")
PURPOSES = ("Send the Invoice", "plot 100% of_it", "")
Facts = dict[str, set[str]]
"""What a made-up case has, by field."""


def _case(chance: random.Random, number: int) -> tuple[Case, Facts]:
    """Return a case and its facts, which are written down here and not read from it."""
    host, path, purpose = chance.choice(HOSTS), chance.choice(PATHS), chance.choice(PURPOSES)
    by, reason = chance.choice(PEOPLE), chance.choice(("looks fine", "asked Bob first"))
    case = build_case(f"s-{number}", f"print({number % 3})\n", status=Status.FINISHED, reviewer=by,
                      requester=f"agent-{number % 4}", submitted_at=BEGIN + timedelta(minutes=number),
                      duration=float(number), exit_code=0)  # fmt: skip
    permissions = Permissions(domains=(Untrusted(host),), secrets=(Untrusted("TOKEN"),))
    draft = case.submission.draft.model_copy(
        update={"purpose": Untrusted(purpose), "permissions": permissions}
    )
    granted = permissions if chance.random() < 0.5 else Permissions()
    assert case.decision is not None
    decision = case.decision.model_copy(
        update={
            "reason": Untrusted(reason),
            "grant": Grant(permissions=granted),
            "outcome": DecisionOutcome.APPROVED,
        }
    )
    case = case.model_copy(update={"submission": case.submission.with_draft(draft), "decision": decision})
    facts: Facts = {
        "requester": {f"agent-{number % 4}"}, "reviewer": {by}, "approver": {by}, "id": {f"s-{number}"},
        "purpose": {purpose} - {""}, "reason": {reason}, "requested.host": {host}, "host": {host},
        "requested.secret": {"TOKEN"}, "granted.host": {host} if granted.domains else set(),
        "observed.host": set(), "used.host": set(), "refused.host": set(), "observed.path": set(),
        "observed.process": set(), "surprise": set(), "claimed": set(), "path": {path},
    }  # fmt: skip
    return case, facts


async def _write(store: SqlHistoryStore, chance: random.Random, number: int) -> tuple[Case, Facts]:
    """Write a case with its run, and return it with its facts."""
    case, facts = _case(chance, number)
    id, path = case.submission.id, next(iter(facts["path"]))
    await store.append("submission.assessed", id, ENGINE, {"risk": "low", "rules": []}, case=case)
    if chance.random() < 0.5:
        await store.append("claim.created", id, Untrusted("carol"), {}, case=case)
        facts["claimed"].add("carol")
    effect = ObservedEffect(number=0, kind=ObservedKind.WRITE, target=Untrusted(path),
                            process=Untrusted("python3"))  # fmt: skip
    await store.append("run.effects", id, ENGINE, {"effects": [effect.model_dump(mode="json")]})
    facts["observed.path"], facts["observed.process"] = {path}, {"python3"}
    observation = Observation(status=ObservationStatus.INCOMPLETE).model_dump(mode="json")
    state = chance.choice(("complete", "incomplete", "none", ""))
    await store.append("run.observed", id, ENGINE, {"observation": observation, "state": state})
    facts["observed"] = {state} - {""}
    if chance.random() < 0.7:
        host, allowed = chance.choice(HOSTS), chance.random() < 0.5
        data = {"host": host.upper(), "port": 443, "method": "CONNECT", "allowed": allowed, "why": ""}
        await store.append("network.attempt", id, ENGINE, data)
        facts["host"] |= {host}
        facts["observed.host"] = {host}
        facts["used.host" if allowed else "refused.host"] = {host}
    if chance.random() < 0.3:
        match = EffectMatch(relation=Relation.BEYOND, kind="write", value=Untrusted(path))
        surprise = {"surprises": [match.model_dump(mode="json")], "action": SurpriseAction.RECORD.value}
        await store.append("run.surprise", id, ENGINE, surprise)
        facts["surprise"] = {path, "write"}
    return case, facts


@pytest.fixture(params=STORES)
async def history(
    path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[SqlHistoryStore, list[tuple[Case, Facts]]]]:
    """A history of 40 made-up cases in each database, completely indexed, and what each has."""
    path.parent.mkdir(exist_ok=True)
    store = await STORES[request.param].open(path.parent, HistorySettings(batch_milliseconds=1))
    assert isinstance(store, SqlHistoryStore)
    chance = random.Random(7)  # noqa: S311  the same cases each time
    cases = [await _write(store, chance, number) for number in range(40)]
    while await store._writer.do(lambda ledger: _index(ledger.connection)):
        pass
    yield store, cases
    await store.close()


def _index(connection: Any) -> bool:
    from engine.history.store.sql.facts.index import index_some  # noqa: PLC0415

    return index_some(connection)


def naive(query: Query, case: Case, facts: Facts) -> bool:
    """Return whether a case fits, without SQL and without an index."""
    if isinstance(query, And):
        return all(naive(part, case, facts) for part in query.parts)
    if isinstance(query, Or):
        return any(naive(part, case, facts) for part in query.parts)
    if isinstance(query, Not):
        return not naive(query.part, case, facts)
    if query.field == "duration":
        return case.result is not None and any(_in(value, case.result.duration) for value in query.values)
    if query.field == "submitted":
        at = case.submission.submitted_at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
        return any(_in(value, at) for value in query.values)
    phrase = FIELDS[query.field].kind is FieldKind.PHRASE
    return any(_has(value, one, phrase=phrase) for one in facts[query.field] for value in query.values)


def _in(value: Value, number: Any) -> bool:
    assert isinstance(value, Range)
    above = value.low is None or (number > value.low if value.low_open else number >= value.low)
    return above and (
        value.high is None or (number < value.high if value.high_open else number <= value.high)
    )


def _has(value: Value, text: str, *, phrase: bool) -> bool:
    assert not isinstance(value, Range)
    parts = value.parts if isinstance(value, Wild) else (value.text,)
    pattern = "*".join(part.replace("[", "[[]").replace("?", "[?]").replace("*", "[*]") for part in parts)
    if phrase:
        return fnmatchcase(text.lower(), f"*{pattern.lower()}*")
    return fnmatchcase(text, pattern)


def _query(chance: random.Random, depth: int = 3) -> str:
    if depth and chance.random() < 0.6:
        parts = [_query(chance, depth - 1) for _ in range(chance.randint(2, 3))]
        sign = chance.choice(("", "", "-"))
        return f"{sign}({chance.choice((' ', ' OR ')).join(parts)})"
    host, path, number = chance.choice(HOSTS), chance.choice(PATHS), chance.randrange(40)
    return chance.choice(
        (f"host:{host}", f"observed.host:{host}", f"used.host:{host[:4]}*", f"-refused.host:{host}",
         f"granted.host:*{host[-4:]}", "granted.host:*", f'observed.path:"{path}"', 'path:*"%"*',
         "path:/etc/*",
         "surprise:write", "-surprise:*", "approver:alice", "approver:alice,bob", "reviewer:b*",
         "claimed:carol", "purpose:invoice", 'purpose:"100%"', "purpose:of_i*t", 'reason:"BOB first"',
         "agent:agent-1,agent-2", f"duration:{number}..", f"duration:<{number}", "id:s-1*",
         "requested.secret:T*", f"since:2026-11-20T06:{number:02}", f"submitted:..2026-11-20T06:{number:02}",
         "observed:incomplete", "-observed:complete,none",
         "observed.process:python?", "observed.process:py*n3")
    )  # fmt: skip


@pytest.mark.parametrize(("rare", "listed"), [(50_000, 20_000), (0, 20_000), (50_000, 0), (0, 0), (7, 1)])
async def test_every_query_finds_what_a_naive_evaluation_finds(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
    monkeypatch: pytest.MonkeyPatch,
    rare: int,
    listed: int,
) -> None:
    """Random queries find the same cases, whichever way they are looked up; so do their facets count."""
    store, cases = history
    monkeypatch.setattr(planner, "RARE", rare)
    monkeypatch.setattr(leaves, "LISTED", listed)
    monkeypatch.setattr(alike, "COMMON", rare)
    chance = random.Random(rare + listed)  # noqa: S311  the same queries each time
    hits = 0
    for _ in range(120):
        text = _query(chance)
        tree = parse(text, datetime.now(UTC))
        expected = [case.submission.id for case, facts in reversed(cases) if naive(tree, case, facts)]
        assert expected == [row.id for row in await store.read.summaries(text)], text
        assert len(expected) == (await store.read.facets(text)).total, text
        hits += 0 < len(expected) < len(cases)
    assert hits > 20


async def test_who_approved_anything_that_contacted_a_host(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
) -> None:
    """The question of the issue is one query; its facets name who approved."""
    store, cases = history
    contacted = [facts for _, facts in cases if "hooks.example" in facts["observed.host"]]
    found = await store.read.facets("approver:* observed.host:hooks.example")
    assert len(contacted) == found.total > 0
    expected = {name: sum(name in facts["approver"] for facts in contacted) for name in PEOPLE}
    assert {name: count for name, count in expected.items() if count} == found.counts["reviewer"]


async def test_recorded_values_are_offered(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
) -> None:
    """Completion knows the values that were recorded, and no others."""
    store, _ = history
    assert ("api.example",) == await store.read.values("observed.host", "ap")
    assert ("agent-0", "agent-1", "agent-2", "agent-3") == await store.read.values("requester", "")
    assert () == await store.read.values("duration", "1")
    assert () == await store.read.values("observed.host", "' OR 1=1 --")


async def test_code_alike_is_found(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
) -> None:
    """`like` finds code that differs in numbers alone, and no other code."""
    store, cases = history
    other = build_case("s-other", "import os\nos.system('rm -rf /')\n")
    await store.append("submission.assessed", "s-other", ENGINE, {"risk": "low", "rules": []}, case=other)
    while await store._writer.do(lambda ledger: _index(ledger.connection)):
        pass
    assert len(cases) == len(await store.read.summaries("like:s-0"))
    assert ["s-other"] == [row.id for row in await store.read.summaries("like:s-other")]
    assert () == await store.read.summaries("like:s-nothing")
    assert (await store.verify()).intact


@pytest.mark.parametrize("sort", ["", "duration", "-duration", "requester", "-reviewer", "exit", "-exit"])
async def test_every_order_pages_through_all(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]], sort: str
) -> None:
    """In any order, page after page gives each case once, sorted; what has no value comes last."""
    store, cases = history
    await store.append("submission.assessed", "s-new", ENGINE, {"risk": "low", "rules": []},
                       case=build_case("s-new", status=Status.PENDING))  # fmt: skip
    found: list[Any] = []
    while page := await store.read.summaries("", found[-1].id if found else None, 7, sort=sort):
        found += page
    assert len(cases) + 1 == len(found) == len({row.id for row in found})
    name = {"exit": "exit_code"}.get(sort.lstrip("-"), sort.lstrip("-")) or "submitted_at"
    values = [str(getattr(row, name)) if name != "duration" else row.duration for row in found]
    known = [value for value in values if value not in {None, "None"}]
    assert sorted(known, reverse=sort.startswith("-") or not sort) == values[: len(known)]


async def test_an_unknown_order_is_explained(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
) -> None:
    """What cannot be sorted or counted by is named."""
    with pytest.raises(QueryError, match=r"Nothing is sorted by 'durration'"):
        await history[0].read.summaries(sort="-durration")
    with pytest.raises(QueryError, match=r"Nothing is counted by 'n; drop'"):
        await history[0].read.counts("", "n; DROP")


async def test_totals_and_counts(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of a field are those of the cases; a total that takes too long says at least so many."""
    store, cases = history
    expected = Counter(host for _, facts in cases for host in facts["observed.host"])
    assert dict(expected) == (await store.read.counts("", "observed.host")).counts
    late = [facts for case, facts in cases if case.result and case.result.duration >= 20]
    expected = Counter(name for facts in late for name in facts["approver"])
    assert dict(expected) == (await store.read.counts("duration:20..", "approver")).counts
    assert dict(expected) == (await store.read.counts("duration:20..", "reviewer")).counts
    assert Total(count=20, exact=True) == await store.read.total("duration:20..")
    monkeypatch.setattr(totals, "SECONDS", -1.0)
    monkeypatch.setattr(totals, "_STEP", 7)
    assert Total(count=7, exact=False) == await store.read.total("duration:20..")


async def test_every_pivot_finds_its_case(
    history: tuple[SqlHistoryStore, list[tuple[Case, Facts]]],
) -> None:
    """Each query that a case leads to can be read, and finds the case itself."""
    store, cases = history
    for case, _ in cases[:8]:
        id = case.submission.id
        led = pivots(case, await store.read.events(subject=id))
        assert len(led) >= 6
        for pivot in led:
            found = {row.id for row in await store.read.summaries(pivot.query)}
            assert id in found or "hour before" in pivot.words, pivot
