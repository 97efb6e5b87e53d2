"""Submissions: submit, wait, decide, withdraw, analyse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import StreamingResponse

from engine.common.errors import Problem
from engine.core import Engine
from engine.models import Analysis, Case, CommandCheck, Decision, Language, Summary
from engine.models.api import (
    LEASE,
    AnalyseRequest,
    CommandCheckRequest,
    DecisionRequest,
    LeaseStatus,
    ReceiptRequest,
    SubmitRequest,
    WithdrawRequest,
)
from engine.models.code_names import CodeNames
from engine.principals.signed_decision import verify
from engine.server.http.authorization import Caller, CurrentCaller, CurrentPrincipal
from engine.server.http.ndjson import ndjson_response, ndjson_stream
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute

MAX_WAIT_SECONDS = 60.0
"""How long one request may wait for a submission to end."""

IdempotencyKey = Annotated[
    str,
    Header(
        pattern=r"^[!-~]{0,255}$",
        description="The same key and body within 24 hours return the same submission.",
    ),
]
WaitSeconds = Annotated[
    float, Query(ge=0, le=MAX_WAIT_SECONDS, description="Seconds to wait for the submission to end.")
]


def submission_routes(engine: Engine) -> APIRouter:
    """Return the routes of submissions and of what is decided about them."""
    router = APIRouter(tags=["Submissions"], route_class=StrictRoute)
    _submit_routes(router, engine)
    _read_routes(router, engine)
    _decision_routes(router, engine)
    return router


def _submit_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/submissions", status_code=202, summary="Submit code")
    async def submit(body: SubmitRequest, by: CurrentCaller, idempotency_key: IdempotencyKey = "") -> Case:
        """Store, analyse and assess code. Whether it runs is decided by the policy or by a reviewer."""
        requester = by.requester(body.requester)
        lease = _own_lease(by, body.lease) if body.lease else ""
        case = await engine.intake.submit(
            body.draft,
            requester,
            key=idempotency_key,
            join=body.join,
            until_delivered=body.until_delivered,
            lease=lease,
        )
        if lease:
            engine.work_queue.lease(lease, case.submission.id)
        return case

    @router.post("/submissions/{id}/withdrawal", summary="Withdraw a submission")
    async def withdraw(id: str, body: WithdrawRequest, by: CurrentCaller) -> Case:
        """Deny your own pending submission, or kill its run."""
        return await engine.intake.withdraw(id, by.requester(body.requester))

    @router.post("/submissions/{id}/receipt", status_code=204, summary="Say that you have a result")
    async def confirm_receipt(id: str, body: ReceiptRequest, by: CurrentCaller) -> None:
        """From now on the same request with `until_delivered` is a new submission."""
        await engine.intake.received(id, by.principal, body.kept_seconds)

    @router.delete("/submissions/{id}/receipt", status_code=204, summary="Take back a receipt")
    async def take_back_receipt(id: str, by: CurrentCaller) -> None:
        """Say that you do not have a result after all: for five minutes the same request returns it again."""
        await engine.intake.not_received(id, by.principal)

    @router.get(
        "/leases/{lease}",
        response_class=StreamingResponse,
        responses=ndjson_response(LeaseStatus),
        summary="Hold a lease",
    )
    async def hold_lease(lease: Annotated[str, Path(pattern=LEASE)], by: CurrentCaller) -> StreamingResponse:
        """Keep the pending submissions of this lease for as long as the response is read."""
        return ndjson_stream(_lease_status(engine, lease, _own_lease(by, lease)))

    @router.post("/analysis", summary="Analyse code")
    async def analyse(body: AnalyseRequest, by: CurrentPrincipal) -> Analysis:
        """Analyse code without submitting it. Nothing is stored."""
        return await engine.analyse(body.code.text, body.language, by)

    @router.post("/command-checks", summary="Check a command of a coding agent")
    async def check_command(body: CommandCheckRequest, by: CurrentCaller) -> CommandCheck:
        """Analyse a shell command, and say whether the policy or a block binds it. Nothing is stored."""
        return await engine.command_checks.check(body.command, by.requester(body.requester))

    @router.get("/code-names", summary="Get the names that code can use in an image")
    async def code_names(
        language: Language,
        image: Annotated[
            str, Query(pattern=r"^[a-z][a-z0-9-]{0,31}$|^$", description="Default: the usual one.")
        ] = "",
    ) -> CodeNames:
        """Return modules and their members; the first time, once a sandbox of the image has said them."""
        return await engine.code_names.of(language, image)


def _read_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/submissions", responses=LINK, summary="List the review queue")
    async def list_open(page: CurrentPage) -> tuple[Summary, ...]:
        """Return the submissions that are pending, queued or running, the most urgent first."""
        return page.of(await engine.queries.queue(), lambda summary: summary.id)

    @router.get("/submissions/{id}", summary="Get a submission")
    async def get_submission(id: str, within: WaitSeconds = 0) -> Case:
        """Return a submission with its analysis, risk, decision and result, as far as they exist."""
        return await engine.queries.finished(id, within) if within else await engine.queries.case(id)

    @router.get("/submissions/{id}/analysis", summary="Get the analysis of a submission")
    async def get_analysis(id: str) -> Analysis:
        """Return the violations and the predicted effects of a submission."""
        return (await engine.queries.case(id)).analysis


def _decision_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/submissions/{id}/decision", summary="Get the decision about a submission")
    async def get_decision(id: str) -> Decision:
        """Return the decision; 404 while there is none."""
        case = await engine.queries.case(id)
        if case.decision is None:
            raise Problem(404, f"{id} is not decided yet", hint="Get the submission with within=60.")
        return case.decision

    @router.post("/submissions/{id}/decision", summary="Decide about a submission")
    async def decide(id: str, body: DecisionRequest, by: CurrentCaller) -> Case:
        """Approve, deny, or request changes to the submission with this digest.

        A token with a key needs a signed decision.
        """
        if by.token and by.token.key:
            verify(id, body, by.token.key)
        return await engine.submissions.decide(
            id,
            by.principal,
            body.outcome,
            body.digest,
            body.reason.text,
            body.grant,
            body.review_record,
            body.comments,
        )


def _own_lease(by: Caller, lease: str) -> str:
    """Return the name of a lease among those of its principal, so that nobody holds or ends another's.

    It is recorded: whoever reads the history does not learn from it the secret that holds the lease.
    """
    return sha256(f"{by.principal.id} {lease}".encode()).hexdigest()


async def _lease_status(engine: Engine, lease: str, own: str) -> AsyncGenerator[LeaseStatus, None]:
    """Hold a lease for as long as the client reads."""
    async with engine.work_queue.connected(own):
        yield LeaseStatus(lease=lease)
        await asyncio.get_running_loop().create_future()
