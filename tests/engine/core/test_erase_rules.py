"""The rules of the settings erase old submissions in the background, unless a legal hold keeps them."""

from __future__ import annotations

import asyncio
import io
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.search.query.errors import QueryError
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Principal, Role, Status
from engine.models.erasing.erasure import ErasureRequest, NewHold
from engine.settings import EraseRule, HistorySettings
from tests.engine.core.conftest import EngineMaker
from tests.engine.history.conftest import build_case

ADMIN = Principal(name=Untrusted("root"), roles=frozenset(Role))
REVIEWER = Principal(name=Untrusted("alice"), roles=frozenset({Role.REVIEWER, Role.AUDITOR}))
RULES = HistorySettings(erase=(EraseRule(name="agents", query="agent:ci-*", days=30),))


async def fill(home: Path) -> None:
    """Record submissions of 100 days and of 3 days ago, one that waits, and one of somebody else."""
    log = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    now = datetime.now(UTC)
    for id, requester, days, status in (
        ("s-old", "ci-1", 100, Status.DENIED),
        ("s-held", "ci-2", 100, Status.DENIED),
        ("s-other", "bob", 100, Status.DENIED),
        ("s-new", "ci-1", 3, Status.DENIED),
    ):
        case = build_case(
            id, f"{id} = 1\n", status=status, requester=requester, submitted_at=now - timedelta(days=days)
        )
        await log.append("claim.created", id, Untrusted("alice"), {}, case=case)
    await log.close()


async def code_of(engine: Engine, id: str) -> str:
    """Return the code of a submission that is still there."""
    return (await engine.queries.case(id)).submission.draft.code.text


async def test_a_rule_erases_what_is_old_and_nothing_else(
    engine_with: EngineMaker, no_docker: None, home: Path
) -> None:
    """What the query finds and is older goes, once; the rest stays, and what is held until it is released."""
    await fill(home)
    async with engine_with() as engine:
        hold = await engine.holds.place(NewHold(query="id:s-held", reason=Untrusted("case 12")), ADMIN)
    async with engine_with(history=RULES) as engine, asyncio.timeout(60):
        while await code_of(engine, "s-old"):
            await asyncio.sleep(0.01)
        while not await engine.history.search("erased:everything", None, 10):
            await asyncio.sleep(0.01)
        assert 0 == await engine.erasures.apply_rules()
        for id in ("s-held", "s-other", "s-new"):
            assert f"{id} = 1\n" == await code_of(engine, id)
        await engine.holds.release(hold.id, ADMIN)
        assert 1 == await engine.erasures.apply_rules()
        event = (await engine.queries.trail("s-held"))[-1]
        assert ("history.erased", "agents: older than 30 days") == (event.type, event.data["rule"])
        assert (await engine.queries.verify()).intact


async def test_only_administrators_erase_and_hold(
    engine_with: EngineMaker, no_docker: None, home: Path
) -> None:
    """A reviewer erases, holds, releases and exports nothing; a query that is none is no hold."""
    await fill(home)
    async with engine_with() as engine:
        request = ErasureRequest(submission="s-old", reason=Untrusted("asked"))
        new = NewHold(query="risk:low", reason=Untrusted("case 12"))
        for refused in (
            engine.erasures.erase(request, REVIEWER),
            engine.holds.place(new, REVIEWER),
            engine.holds.release("h-0", REVIEWER),
            engine.person_files.made("ci-1", REVIEWER),
        ):
            with pytest.raises(Problem) as caught:
                await refused
            assert 403 == caught.value.status
        with pytest.raises(QueryError):
            await engine.holds.place(NewHold(query="risc:low", reason=Untrusted("x")), ADMIN)
        assert "s-old = 1\n" == await code_of(engine, "s-old")


async def test_a_person_is_nobody_else_of_a_similar_name(
    engine_with: EngineMaker, no_docker: None, home: Path
) -> None:
    """No character of a name means anything else: neither a line end, nor a star, nor a quotation mark."""
    await fill(home)
    odd = 'ci-"1\n*'
    log = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    for id, requester in (("s-odd", odd), ("s-plain", 'ci-"1n*')):
        case = build_case(id, f"{id} = 1\n", status=Status.DENIED, requester=requester)
        await log.append("claim.created", id, Untrusted("alice"), {}, case=case)
    await log.close()
    async with engine_with() as engine:
        with zipfile.ZipFile(io.BytesIO(await engine.person_files.made(odd, ADMIN))) as archive:
            assert "submissions/s-odd/code" in archive.namelist()
        request = ErasureRequest(person=Untrusted(odd), reason=Untrusted("asked"))
        assert 1 == (await engine.erasures.erase(request, ADMIN)).submissions
        assert ("", "s-plain = 1\n") == (await code_of(engine, "s-odd"), await code_of(engine, "s-plain"))


async def test_a_hold_that_no_erasure_could_look_up_is_refused(
    engine_with: EngineMaker, no_docker: None
) -> None:
    """A query that fits alone, and not beside the id of a submission, would stop every erasure."""
    async with engine_with() as engine:
        for query in (" ", " ".join("x" * 100), "x" * 1000):
            with pytest.raises(QueryError):
                await engine.holds.place(NewHold(query=query, reason=Untrusted("x")), ADMIN)
        assert () == await engine.holds.listed()


async def test_a_released_hold_does_not_come_back(engine_with: EngineMaker, no_docker: None) -> None:
    """Two requests may read the record that placed it at once, and one of them reports it late."""
    async with engine_with() as engine:
        hold = await engine.holds.place(NewHold(query="risk:low", reason=Untrusted("x")), ADMIN)
        (placed,) = await engine.queries.trail("holds")
        assert (hold,) == await engine.holds.listed()
        await engine.holds.release(hold.id, ADMIN)
        assert () == await engine.holds.listed()
        engine.holds._replay(placed)
        assert () == await engine.holds.listed()
