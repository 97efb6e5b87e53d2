"""The part of the HTTP API where code comes in, is decided about, and is asked after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import FastAPI, Header, Path, Query
from fastapi.responses import StreamingResponse

from engine.common.errors import Problem
from engine.core import Engine
from engine.models import Analysis, Case, Decision, Summary
from engine.models.api import LEASE, Decided, Handed, LeaseStatus, Snippet, Withdrawn
from engine.principals.signed_decision import check
from engine.server.http.authorization import Speaking
from engine.server.http.responses import lines_of, stream

MOST_WAITING = 60.0
"""Seconds that one request may wait for a submission to be over."""

Key = Annotated[
    str,
    Header(
        pattern=r"^[!-~]{0,255}$",
        description="The same key and body within 24 hours get the same submission; another body is refused.",
    ),
]


def submitting(app: FastAPI, engine: Engine) -> None:
    """Add submissions, and what becomes of them, to an application."""
    _handing_in(app, engine)
    _asking(app, engine)


def _handing_in(app: FastAPI, engine: Engine) -> None:
    @app.post("/submissions", status_code=202)
    async def submit(handed: Handed, by: Speaking, idempotency_key: Key = "") -> Case:
        requester = by.requester(handed.requester)
        case = await engine.intake.submit(handed.draft, requester, key=idempotency_key, join=handed.join)
        if handed.lease:
            engine.work_queue.lease(handed.lease, case.submission.id)
        return case

    @app.post("/submissions/{id}/withdrawal")
    async def withdraw(id: str, withdrawn: Withdrawn, by: Speaking) -> Case:
        return await engine.intake.withdraw(id, by.requester(withdrawn.requester))

    @app.get("/leases/{holder}", response_class=StreamingResponse, responses=lines_of(LeaseStatus))
    async def hold(lease: Annotated[str, Path(pattern=LEASE)]) -> StreamingResponse:
        return stream(_presence(engine, lease))


def _asking(app: FastAPI, engine: Engine) -> None:
    @app.get("/submissions")
    async def queue() -> tuple[Summary, ...]:
        return await engine.queries.queue()

    @app.get("/submissions/{id}")
    async def case(id: str, within: Annotated[float, Query(ge=0, le=MOST_WAITING)] = 0) -> Case:
        return await engine.queries.finished(id, within) if within else await engine.queries.case(id)

    @app.get("/submissions/{id}/analysis")
    async def analysis(id: str) -> Analysis:
        return (await engine.queries.case(id)).analysis

    @app.get("/submissions/{id}/decision")
    async def decision(id: str) -> Decision:
        case = await engine.queries.case(id)
        if case.decision is None:
            raise Problem(404, f"{id} is not decided yet", hint="Ask for the submission with within=60.")
        return case.decision

    @app.post("/submissions/{id}/decision")
    async def decide(id: str, decided: Decided, by: Speaking) -> Case:
        if by.token and by.token.key:
            check(id, decided, by.token.key)
        return await engine.submissions.decide(
            id,
            by.principal,
            decided.outcome,
            decided.digest,
            decided.reason.text,
            decided.grant,
            decided.review_record,
        )

    @app.post("/analysis")
    async def analyse(snippet: Snippet) -> Analysis:
        return await engine.analyse(snippet.code.text, snippet.language)


async def _presence(engine: Engine, lease: str) -> AsyncGenerator[LeaseStatus, None]:
    """Count a client as there for as long as it reads."""
    async with engine.work_queue.connected(lease):
        yield LeaseStatus(lease=lease)
        await asyncio.get_running_loop().create_future()
