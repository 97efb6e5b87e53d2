"""The client of the engine: what the console, the command line and other Python programs use.

async with Client() as client:
    case = await client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON))
    print(case.status, case.assessment.risk)
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import TypeAdapter
from typing_extensions import Self

from engine import locations
from engine.client.erasures import ErasuresClient
from engine.client.history import HistoryClient
from engine.client.incidents import IncidentsClient
from engine.client.keys import KeysClient
from engine.client.policy import PolicyClient
from engine.client.pre_approvals import PreApprovalsClient
from engine.client.previews import PreviewsClient
from engine.client.rescans import RescansClient
from engine.client.responses import ResponsesClient
from engine.client.reviews import ReviewsClient
from engine.client.secrets import SecretsClient
from engine.client.sessions import SessionsClient
from engine.client.shared_queries import SharedQueriesClient
from engine.client.signing import signed
from engine.client.tokens import TokensClient
from engine.client.transport import DEADLINE_SECONDS, RESUME_SECONDS, RESUMES, Transport
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
    LineComment,
    Meters,
    OutputChunk,
    ReviewRecord,
    SimilarSubmission,
    Summary,
    WorkspaceFile,
)
from engine.models.api import (
    AnalyseRequest,
    DecisionRequest,
    LeaseStatus,
    ReceiptRequest,
    SubmitRequest,
    WithdrawRequest,
)
from engine.models.code_names import CodeNames
from engine.models.lines import RunLines
from engine.models.observed import RunEffects
from engine.models.snapshot import RunSnapshot

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["Client", "Problem"]

_SUMMARIES = TypeAdapter(tuple[Summary, ...])
_CONSEQUENCES = TypeAdapter(tuple[Consequence, ...])
_SIMILAR: TypeAdapter[SimilarSubmission | None] = TypeAdapter(SimilarSubmission | None)
_FILES = TypeAdapter(tuple[WorkspaceFile, ...])

CODE_NAMES_SECONDS = 150.0
"""A sandbox imports every module of its image before it answers."""


class Client:
    """The client of an engine, over its Unix socket or over TCP with a token.

    Every method raises `Problem` if the engine refuses. With `key`, decisions are signed. With `agent`, a
    secret of at least 256 bits, it is an agent of its own over the socket, that may submit and nothing else.
    """

    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
        key: Ed25519PrivateKey | None = None,
        agent: str = "",
    ) -> None:
        self._transport = Transport(where or locations.socket(), token, verify, agent)
        self._requester = Untrusted(requester)
        self._key = key
        self.sessions = SessionsClient(self._transport, self._requester)
        self.previews = PreviewsClient(self._transport)
        self.history = HistoryClient(self._transport)
        self.pre_approvals = PreApprovalsClient(self._transport)
        self.policy = PolicyClient(self._transport)
        self.reviews = ReviewsClient(self._transport, key)
        self.incidents = IncidentsClient(self._transport)
        self.erasures = ErasuresClient(self._transport)
        self.responses = ResponsesClient(self._transport)
        self.rescans = RescansClient(self._transport)
        self.shared_queries = SharedQueriesClient(self._transport)
        self.secrets = SecretsClient(self._transport)
        self.keys = KeysClient(self._transport)
        self.tokens = TokensClient(self._transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def health(self, settled_within: float = 0) -> Health:
        """Return the health of the engine; one that is starting has `settled_within` seconds to finish."""
        body = await self._transport.get("/healthz", {"settled_within": settled_within})
        return Health.model_validate_json(body)

    async def submit(
        self,
        draft: Draft,
        *,
        key: str = "",
        join: bool = False,
        until_delivered: bool = False,
        lease: str = "",
        requester: str = "",
    ) -> Case:
        """Submit a draft and return its case, stored, analysed and assessed.

        The same `key` within 24 hours, or with `join` the same draft while it is open, makes no second
        submission; with `until_delivered` nor does one that has ended, until `received` was called for it.
        With a `lease` that nobody holds a pending submission is withdrawn after a while.
        """
        name = Untrusted(requester) if requester else self._requester
        handed = SubmitRequest(
            draft=draft, requester=name, join=join, until_delivered=until_delivered, lease=lease
        )
        headers = {"idempotency-key": key} if key else {}
        return Case.model_validate_json(
            await self._transport.post("/v1/submissions", handed, headers=headers)
        )

    async def received(self, id: str, kept_seconds: float = 0) -> None:
        """Say that you have the result of your own submission, or may not have it for so many seconds."""
        await self._transport.post(f"/v1/submissions/{id}/receipt", ReceiptRequest(kept_seconds=kept_seconds))

    async def not_received(self, id: str) -> None:
        """Say that you do not have a result after all that you said you have: ask for it again."""
        await self._transport.send("DELETE", f"/v1/submissions/{id}/receipt")

    async def withdraw(self, id: str, requester: str = "") -> Case:
        """Withdraw your own submission: a pending one is denied, a run is killed."""
        withdrawn = WithdrawRequest(requester=Untrusted(requester) if requester else self._requester)
        return Case.model_validate_json(
            await self._transport.post(f"/v1/submissions/{id}/withdrawal", withdrawn)
        )

    def hold_lease(self, lease: str) -> AsyncGenerator[LeaseStatus, None]:
        """Hold a lease for as long as this is read: it yields once."""
        return self._transport.lines(f"/v1/leases/{lease}", {}, LeaseStatus)

    async def queue(self) -> tuple[Summary, ...]:
        """Return what is pending, queued or running, the most urgent first."""
        return _SUMMARIES.validate_json(await self._transport.get("/v1/submissions"))

    async def case(self, id: str, within: float = 0) -> Case:
        """Return a submission, once it has ended or `within` seconds have passed."""
        params, timeout = {"within": within}, DEADLINE_SECONDS + within
        return Case.model_validate_json(await self._transport.get(f"/v1/submissions/{id}", params, timeout))

    async def decide(
        self,
        id: str,
        outcome: DecisionOutcome,
        digest: str,
        reason: str = "",
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
        comments: Sequence[LineComment] = (),
    ) -> Case:
        """Decide about the submission with `digest`; `review_record` says what was displayed.

        `comments` belong to the outcome `changes_requested`: what to change, line by line.
        """
        decided = DecisionRequest(
            outcome=outcome,
            digest=digest,
            reason=Untrusted(reason),
            grant=grant,
            review_record=review_record,
            comments=tuple(comments),
        )
        body = signed(id, decided, self._key)
        return Case.model_validate_json(await self._transport.post(f"/v1/submissions/{id}/decision", body))

    async def claim(self, id: str) -> Case:
        """Claim a submission for a while, so that no other reviewer decides about it."""
        return Case.model_validate_json(await self._transport.post(f"/v1/submissions/{id}/claim"))

    async def release(self, id: str) -> Case:
        """Release a claim."""
        return Case.model_validate_json(await self._transport.send("DELETE", f"/v1/submissions/{id}/claim"))

    async def similar(self, id: str) -> SimilarSubmission | None:
        """Return the approved submission whose code is most similar, if there is one."""
        return _SIMILAR.validate_json(await self._transport.get(f"/v1/submissions/{id}/similar"))

    async def consequences(self, id: str, grant: Grant) -> tuple[Consequence, ...]:
        """Return the lines that would fail if the submission got this grant."""
        return _CONSEQUENCES.validate_json(
            await self._transport.post(f"/v1/submissions/{id}/consequences", grant)
        )

    async def analyse(self, code: str, language: Language) -> Analysis:
        """Analyse code without submitting it."""
        snippet = AnalyseRequest(code=Untrusted(code), language=language)
        return Analysis.model_validate_json(await self._transport.post("/v1/analysis", snippet))

    async def code_names(self, language: Language, image: str = "") -> CodeNames:
        """Return the names that code can use in an image: the first time, once a sandbox has said them."""
        params = {"language": language.value, "image": image}
        return CodeNames.model_validate_json(
            await self._transport.get("/v1/code-names", params, CODE_NAMES_SECONDS)
        )

    def events(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield events as they happen; those after `since` first."""
        params = {} if since is None else {"since": since}
        return self._transport.lines("/v1/events", params, Event)

    async def follow(self, since: int) -> AsyncGenerator[Event, None]:
        """Yield the events after `since` and then those that happen, each once.

        A broken stream is resumed, even across a restart of the engine.
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
        return self._transport.frames(f"/v1/runs/{id}/output", offset)

    def meters(self, id: str) -> AsyncGenerator[Meters, None]:
        """Yield the resource meters of a run, until it ends."""
        return self._transport.lines(f"/v1/runs/{id}/meters", {}, Meters)

    async def effects(self, id: str) -> RunEffects:
        """Return what a run did so far, beside what was predicted and granted."""
        return RunEffects.model_validate_json(await self._transport.get(f"/v1/runs/{id}/effects"))

    async def lines(self, id: str) -> RunLines:
        """Return which lines of a run's code ran so far, as the guest says."""
        return RunLines.model_validate_json(await self._transport.get(f"/v1/runs/{id}/lines"))

    async def look(self, id: str) -> RunSnapshot:
        """Return what a running or paused run is doing."""
        return RunSnapshot.model_validate_json(await self._transport.get(f"/v1/runs/{id}/look"))

    async def files(self, id: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a running run, as the guest reports them."""
        return _FILES.validate_json(await self._transport.get(f"/v1/runs/{id}/files"))

    async def artifact(self, id: str, name: Untrusted) -> bytes:
        """Return a file that a run left, or has while it goes on, by its name or its digest."""
        path = quote(name.text, safe="", errors="surrogatepass")
        return await self._transport.get(f"/v1/runs/{id}/artifacts/{path}")

    async def stop(self, id: str) -> None:
        """Ask a run to end, and kill it after the grace period."""
        await self._transport.post(f"/v1/runs/{id}/stop")

    async def kill(self, id: str) -> None:
        """End a run at once."""
        await self._transport.post(f"/v1/runs/{id}/kill")

    async def pause(self, id: str) -> None:
        """Pause a run."""
        await self._transport.post(f"/v1/runs/{id}/pause")

    async def resume(self, id: str) -> None:
        """Resume a paused run."""
        await self._transport.post(f"/v1/runs/{id}/resume")

    async def shut_down(self) -> None:
        """End the engine's process, and with it every run."""
        await self._transport.post("/v1/shutdown")
