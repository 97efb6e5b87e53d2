"""The client of the engine: what the console, the command line and other Python programs use.

async with await attach() as client:
    case = await client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON))
    print(case.status, case.assessment.risk)
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import quote

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import TypeAdapter

from engine.client.audit import LookingBack
from engine.client.sessions import SessionClient
from engine.client.tokens import TokenClient
from engine.client.transport import DEADLINE_SECONDS, RESUME_SECONDS, RESUMES
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Case,
    Consequence,
    DecisionOutcome,
    Draft,
    Event,
    Grant,
    Health,
    Language,
    Level,
    MatchMode,
    Meters,
    OutputChunk,
    PreApproval,
    ReviewRecord,
    SimilarSubmission,
    Summary,
    Verification,
    WorkspaceFile,
)
from engine.models.api import (
    AnalyseRequest,
    DecisionRequest,
    LeaseStatus,
    PreApprovalRequest,
    SubmitRequest,
    WithdrawRequest,
)
from engine.models.submission import SecretReference
from engine.principals.signed_decision import sign

__all__ = ["Client", "Problem"]

VERIFY_SECONDS = 3600.0

_SUMMARIES = TypeAdapter(tuple[Summary, ...])
_EVENTS = TypeAdapter(tuple[Event, ...])
_CONSEQUENCES = TypeAdapter(tuple[Consequence, ...])
_SECRETS = TypeAdapter(tuple[SecretReference, ...])
_NEAREST: TypeAdapter[SimilarSubmission | None] = TypeAdapter(SimilarSubmission | None)
_FILES = TypeAdapter(tuple[WorkspaceFile, ...])
_PRE_APPROVALS = TypeAdapter(tuple[PreApproval, ...])


class Client(SessionClient, LookingBack, TokenClient):
    """Speaks to the engine: over its Unix socket, or over TCP with a token.

    Every method raises `Problem` where the answer is no. With `key`, decisions are signed.
    """

    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
        key: Ed25519PrivateKey | None = None,
    ) -> None:
        super().__init__(where, requester, token=token, verify=verify)
        self._key = key

    async def health(self, settled_within: float = 0) -> Health:
        """Return the health of the engine; wait up to `settled_within` seconds while it starts."""
        body = await self._get("/healthz", {"settled_within": settled_within})
        return Health.model_validate_json(body)

    async def submit(
        self, draft: Draft, *, key: str = "", join: bool = False, lease: str = "", requester: str = ""
    ) -> Case:
        """Submit a draft; return its case, stored, analyzed and assessed.

        The same `key` within 24 hours, or with `join` the same draft while it is open, makes no second
        submission. Without a connection of `present(holder)` what waits is withdrawn after a while.
        """
        name = Untrusted(requester) if requester else self._requester
        handed = SubmitRequest(draft=draft, requester=name, join=join, lease=lease)
        headers = {"idempotency-key": key} if key else {}
        return Case.model_validate_json(await self._post("/submissions", handed, headers=headers))

    async def withdraw(self, id: str, requester: str = "") -> Case:
        """End a submission of one's own: a waiting one is denied, a run is killed."""
        withdrawn = WithdrawRequest(requester=Untrusted(requester) if requester else self._requester)
        return Case.model_validate_json(await self._post(f"/submissions/{id}/withdrawal", withdrawn))

    def present(self, lease: str) -> AsyncGenerator[LeaseStatus, None]:
        """Count as there for as long as this is read: one item comes, and then nothing."""
        return self._lines(f"/leases/{lease}", {}, LeaseStatus)

    async def queue(self) -> tuple[Summary, ...]:
        """Return what waits, is queued or runs, the most urgent first."""
        return _SUMMARIES.validate_json(await self._get("/submissions"))

    async def case(self, id: str, within: float = 0) -> Case:
        """Return everything known about a submission, once it is over or `within` seconds have passed."""
        params, timeout = {"within": within}, DEADLINE_SECONDS + within
        return Case.model_validate_json(await self._get(f"/submissions/{id}", params, timeout))

    async def decide(
        self,
        id: str,
        outcome: DecisionOutcome,
        digest: str,
        reason: str = "",
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
    ) -> Case:
        """Approve or deny what was shown, which `digest` names; `seen` is what was on screen."""
        decided = DecisionRequest(
            outcome=outcome, digest=digest, reason=Untrusted(reason), grant=grant, review_record=review_record
        )
        sealed = sign(id, decided, self._key) if self._key else decided
        return Case.model_validate_json(await self._post(f"/submissions/{id}/decision", sealed))

    async def claim(self, id: str) -> Case:
        """Claim a submission for a while, so that no other reviewer works on it."""
        return Case.model_validate_json(await self._post(f"/submissions/{id}/claim"))

    async def release(self, id: str) -> Case:
        """Let go of a submission."""
        return Case.model_validate_json(await self._send("DELETE", f"/submissions/{id}/claim"))

    async def nearest(self, id: str) -> SimilarSubmission | None:
        """Return the approved submission whose code is most like this one's, if one is like it."""
        return _NEAREST.validate_json(await self._get(f"/submissions/{id}/similar"))

    async def consequences(self, id: str, grant: Grant) -> tuple[Consequence, ...]:
        """Return which lines fail where a submission gets this grant and not all that it asks for."""
        return _CONSEQUENCES.validate_json(await self._post(f"/submissions/{id}/consequences", grant))

    async def create_pre_approval(
        self, id: str, match_mode: MatchMode, ceiling: Level, uses: int, days: float
    ) -> PreApproval:
        """Let submissions that are the same as an approved one be approved at once."""
        beforehand = PreApprovalRequest(match_mode=match_mode, ceiling=ceiling, uses=uses, days=days)
        body = await self._post(f"/submissions/{id}/pre-approval", beforehand)
        return PreApproval.model_validate_json(body)

    async def pre_approvals(self) -> tuple[PreApproval, ...]:
        """Return the pre-approvals that are not taken back, the newest first."""
        return _PRE_APPROVALS.validate_json(await self._get("/pre-approvals"))

    async def revoke_pre_approval(self, id: str) -> None:
        """Take a pre-approval back."""
        await self._send("DELETE", f"/pre-approvals/{id}")

    async def secrets(self) -> tuple[SecretReference, ...]:
        """Return the secrets by name and host."""
        return _SECRETS.validate_json(await self._get("/secrets"))

    async def set_secret(self, name: str, host: str, value: str) -> None:
        """Keep a secret for one host. Its value never comes back."""
        given = {"host": host, "value": value}
        await self._send("PUT", f"/secrets/{quote(name, safe='')}", json=given)

    async def remove_secret(self, name: str) -> None:
        """Forget a secret."""
        await self._send("DELETE", f"/secrets/{quote(name, safe='')}")

    async def analyse(self, code: str, language: Language) -> Analysis:
        """Analyse code without submitting it."""
        snippet = AnalyseRequest(code=Untrusted(code), language=language)
        return Analysis.model_validate_json(await self._post("/analysis", snippet))

    def events(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield events as they happen; those after `since` first."""
        params = {} if since is None else {"since": since}
        return self._lines("/events", params, Event)

    async def follow(self, since: int) -> AsyncGenerator[Event, None]:
        """Yield the events after `since` and then those that happen, each once.

        A stream that breaks off is taken up again, over the end and the next start of an engine.
        """
        left = RESUMES
        while True:
            try:
                async with contextlib.aclosing(self.events(since)) as events:
                    async for event in events:
                        since, left = event.seq, RESUMES
                        yield event
            except Problem as problem:
                left -= 1
                if problem.status not in {502, 503} or not left:
                    raise
            await asyncio.sleep(RESUME_SECONDS)

    def output(self, id: str, offset: int = 0) -> AsyncGenerator[OutputChunk, None]:
        """Yield the output of a run from `offset` bytes on, until the run is over."""
        return self._frames(f"/runs/{id}/output", offset)

    def meters(self, id: str) -> AsyncGenerator[Meters, None]:
        """Yield what a run uses, until the run is over."""
        return self._lines(f"/runs/{id}/meters", {}, Meters)

    async def files(self, id: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a run that goes on. Names and sizes are the guest's word."""
        return _FILES.validate_json(await self._get(f"/runs/{id}/files"))

    async def artifact(self, id: str, name: Untrusted) -> bytes:
        """Return a file that a run left, or has while it goes on, by its name or its digest."""
        path = quote(name.text, safe="", errors="surrogatepass")
        return await self._get(f"/runs/{id}/artifacts/{path}")

    async def stop(self, id: str) -> None:
        """Ask a run to end, and end it after the grace."""
        await self._post(f"/runs/{id}/stop")

    async def kill(self, id: str) -> None:
        """End a run at once."""
        await self._post(f"/runs/{id}/kill")

    async def pause(self, id: str) -> None:
        """Hold a run where it is."""
        await self._post(f"/runs/{id}/pause")

    async def resume(self, id: str) -> None:
        """Let a frozen run go on."""
        await self._post(f"/runs/{id}/resume")

    async def history(
        self, filter: str = "", before: str | None = None, limit: int = 200
    ) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first, those before the id `before`."""
        params: dict[str, str | int] = {"filter": filter, "limit": limit}
        if before is not None:
            params["before"] = before
        return _SUMMARIES.validate_json(await self._get("/history", params))

    async def trail(self, id: str) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first."""
        return _EVENTS.validate_json(await self._get(f"/history/{id}/events"))

    async def shut_down(self) -> None:
        """End the engine's process, and with it every run."""
        await self._post("/shutdown")

    async def verify(self) -> Verification:
        """Have the whole audit log read."""
        body = await self._post("/history/verification", timeout=VERIFY_SECONDS)
        return Verification.model_validate_json(body)
