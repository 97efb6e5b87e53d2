"""Reviews: claims, similar submissions, consequences of a smaller grant, pre-approvals."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.review.similarity import SimilarSubmissions
from engine.models import (
    BulkAnswer,
    Case,
    Consequence,
    Grant,
    PreApproval,
    QueueEntry,
    Revision,
    SimilarSubmission,
    ThreadEntry,
)
from engine.models.api import (
    AssignmentRequest,
    BulkClaimRequest,
    BulkDecisionRequest,
    PreApprovalRequest,
    RehearsalRequest,
)
from engine.models.rehearsal import Rehearsal
from engine.principals.signed_decision import verify
from engine.server.http.authorization import CurrentCaller, CurrentPrincipal
from engine.server.http.pages import LINK, CurrentPage
from engine.server.http.request_body import StrictRoute

ListedIds = Annotated[
    str, Query(max_length=8192, description="List only these submissions, separated by commas.")
]


def review_routes(engine: Engine) -> APIRouter:
    """Return the routes that reviewers use beside the decision itself."""
    router = APIRouter(tags=["Review"], route_class=StrictRoute)
    _queue_routes(router, engine)
    _bulk_routes(router, engine)
    _revision_routes(router, engine)
    _claim_routes(router, engine)
    _rehearsal_routes(router, engine)
    _pre_approval_routes(router, engine)
    return router


def _queue_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/queue", responses=LINK, summary="List the review queue with reasons")
    async def review_queue(
        page: CurrentPage, by: CurrentPrincipal, ids: ListedIds = ""
    ) -> tuple[QueueEntry, ...]:
        """Return what is pending, queued or running, the highest risk first, with what helps to choose."""
        entries = await engine.queue_listing.entries(ids.split(",") if ids else (), by)
        return page.of(entries, lambda entry: entry.summary.id)

    @router.get("/expired", responses=LINK, summary="List what expired")
    async def list_expired(page: CurrentPage) -> tuple[QueueEntry, ...]:
        """Return the submissions that expired within a week, the latest first."""
        return page.of(await engine.queue_listing.expired(), lambda entry: entry.summary.id)

    @router.post("/submissions/{id}/revival", status_code=201, summary="Revive an expired submission")
    async def revive(id: str, by: CurrentPrincipal) -> Case:
        """Let it wait again as a new submission of the same digest, which names it in `revives`."""
        return await engine.revivals.revive(id, by)

    @router.post("/submissions/{id}/extension", summary="Give more time")
    async def extend(id: str, by: CurrentPrincipal) -> Case:
        """Move the deadline of a pending submission, ten minutes at a time, as far as the settings allow."""
        return await engine.claims.extend(id, by)


def _bulk_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/queue/decisions", summary="Decide about several submissions")
    async def decide_several(body: BulkDecisionRequest, by: CurrentCaller) -> tuple[BulkAnswer, ...]:
        """Deny several submissions, or approve several that are equivalent; each by its own digest."""
        if by.token and by.token.key:
            for one in body.decisions:
                verify(one.id, one.decision, by.token.key)
        return await engine.bulk.decide(body.decisions, by.principal)

    @router.post("/queue/claims", summary="Claim several submissions")
    async def claim_several(body: BulkClaimRequest, by: CurrentPrincipal) -> tuple[BulkAnswer, ...]:
        """Claim what can be claimed, and say of the rest why not."""
        return await engine.bulk.claim(body.ids, by)

    @router.post("/queue/assignments", summary="Assign submissions to a reviewer")
    async def assign(body: AssignmentRequest, by: CurrentPrincipal) -> tuple[BulkAnswer, ...]:
        """Say whom pending submissions are meant for; anybody else may still decide about them."""
        return await engine.bulk.assign(body.ids, Untrusted(body.to), by)


def _revision_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/submissions/{id}/revision", summary="Compare with the revised submission")
    async def get_revision(id: str, by: CurrentPrincipal) -> Revision:
        """Return what changed, which comments were answered, and what you have read already; 404 if none."""
        return await engine.revisions.revision(id, by)

    @router.get("/submissions/{id}/thread", summary="List the revisions")
    async def list_revisions(id: str) -> tuple[ThreadEntry, ...]:
        """Return this submission and those that it revises, the first first, with comments and replies."""
        return await engine.revisions.thread(id)


def _claim_routes(router: APIRouter, engine: Engine) -> None:
    alike = SimilarSubmissions(engine.queries)

    @router.post("/submissions/{id}/claim", summary="Claim a submission")
    async def claim(id: str, by: CurrentPrincipal) -> Case:
        """Reserve a submission for a while, so that no other reviewer decides about it."""
        return await engine.claims.claim(id, by)

    @router.delete("/submissions/{id}/claim", summary="Release a claim")
    async def release(id: str, by: CurrentPrincipal) -> Case:
        """Give a claimed submission back to the queue."""
        return await engine.claims.release(id, by)

    @router.post("/submissions/{id}/presence", summary="Say that you look at a submission")
    async def be_present(id: str, by: CurrentPrincipal) -> tuple[Untrusted, ...]:
        """Note for 12 seconds that you have it on screen, and return which other reviewers have."""
        return engine.presence.look(id, by)

    @router.get("/submissions/{id}/similar", summary="Find a similar approved submission")
    async def find_similar(id: str) -> SimilarSubmission | None:
        """Return the approved submission whose code is most similar; null if there is none."""
        return await alike.nearest(id)

    @router.post("/submissions/{id}/consequences", summary="Predict the effects of a smaller grant")
    async def predict_consequences(id: str, grant: Grant) -> tuple[Consequence, ...]:
        """Return the lines that would fail if the submission got this grant."""
        return await engine.queries.consequences(id, grant)


def _rehearsal_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/submissions/{id}/rehearsal", summary="Rehearse a submission")
    async def rehearse(id: str, by: CurrentPrincipal, body: RehearsalRequest | None = None) -> Rehearsal:
        """Run a pending submission with decoys and hosts that are not there; it takes a minute at most."""
        return await engine.rehearsals.rehearse(id, by, withhold=bool(body and body.withhold_files))

    @router.delete("/submissions/{id}/rehearsal", status_code=204, summary="Stop a rehearsal")
    async def stop(id: str, by: CurrentPrincipal) -> None:
        """Stop the rehearsal that goes on; whoever started it is told that there is no result."""
        engine.rehearsals.stop(id, by)

    @router.get("/submissions/{id}/rehearsal", summary="Get the last rehearsal")
    async def get_rehearsal(id: str) -> Rehearsal:
        """Return what the last rehearsal of a submission found; 404 if there was none."""
        return await engine.rehearsals.last(id)


def _pre_approval_routes(router: APIRouter, engine: Engine) -> None:
    @router.post("/submissions/{id}/pre-approval", status_code=201, summary="Create a pre-approval")
    async def create_pre_approval(id: str, body: PreApprovalRequest, by: CurrentPrincipal) -> PreApproval:
        """Approve, in advance, later submissions that match this approved one."""
        case = await engine.queries.case(id)
        return await engine.pre_approvals.create(
            case, by, body.match_mode, body.ceiling, body.uses, body.days
        )

    @router.get("/pre-approvals", responses=LINK, summary="List the pre-approvals")
    async def list_pre_approvals(page: CurrentPage) -> tuple[PreApproval, ...]:
        """Return the pre-approvals that are not revoked, the newest first."""
        return page.of(engine.pre_approvals.listed(), lambda pre_approval: pre_approval.id)

    @router.delete("/pre-approvals/{id}", status_code=204, summary="Revoke a pre-approval")
    async def revoke_pre_approval(id: str, by: CurrentPrincipal) -> None:
        """Revoke a pre-approval; submissions that it approved already are not affected."""
        await engine.pre_approvals.revoke(id, by)
