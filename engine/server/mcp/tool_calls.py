"""What happens when an agent calls a tool."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mcp_types import CallToolResult, TextContent

from engine.client.client import Client
from engine.client.connect import ensure_engine
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    OPEN,
    Case,
    Draft,
    Session,
    SessionState,
    Status,
)
from engine.server.mcp.arguments import NEW, ArtifactArguments, ExecuteArguments, SessionCallArguments
from engine.server.mcp.artifacts import part_of_file
from engine.server.mcp.clients import AgentClients
from engine.server.mcp.deliveries import Deliveries
from engine.server.mcp.patience import Patience
from engine.server.mcp.requester import Context, asks_for_progress, links_understood
from engine.server.mcp.results import Results
from engine.server.mcp.tool_result import progress_message
from engine.settings import ServerSettings

PROGRESS_SECONDS = 5.0
MOST_REMEMBERED = 1000
RETRY_SECONDS = 1.0

T = TypeVar("T")


class ToolCalls:
    """Executes the tool calls of agents through the client of the engine.

    Each call acts through the client of its own agent. Over stdio one agent holds a lease as long as this
    exists. Without one, over HTTP, a pending submission is withdrawn some time after it was last asked for.
    """

    def __init__(
        self,
        agents: AgentClients,
        settings: ServerSettings,
        tasks: asyncio.TaskGroup,
        patience: Patience,
        *,
        lease: str = "",
    ) -> None:
        self._patience = patience
        self._results = Results(settings.mcp_output_kb * 1024)
        self._deliveries = Deliveries(tasks, patience)
        self._agents = agents
        self._settings = settings
        self._tasks = tasks
        self._lease = lease
        self._withdrawals: dict[str, asyncio.Task[None]] = {}
        self._start_lock = asyncio.Lock()
        self._session_lock = asyncio.Lock()
        self._sessions: dict[tuple[str, str], str] = {}

    async def hold_lease(self, client: Client) -> None:
        """Count as there, so that what waits is kept, until cancelled; first see that an engine runs."""
        with contextlib.suppress(Problem):
            await self._ensure_engine(client)
        while True:
            with contextlib.suppress(Problem):
                async for _ in client.hold_lease(self._lease):
                    pass
            await asyncio.sleep(RETRY_SECONDS)

    async def submit(self, given: ExecuteArguments | SessionCallArguments, context: Context) -> Case:
        """Submit a call; a repeated call joins its open submission."""
        await self._deliveries.settled()
        client, name = self._agents.client(context), self._agents.name(context)

        async def handing_in() -> Case:
            draft = await self._draft(given, context)
            return await client.submit(
                draft,
                key=given.idempotency_key,
                join=True,
                until_delivered=True,
                lease=self._lease,
                requester=name,
            )

        return await self._call_engine(client, handing_in)

    async def close_session(self, id: str, context: Context) -> CallToolResult:
        """End a session."""
        closed = await self._agents.client(context).sessions.close(id, self._agents.name(context))
        state = {"session": closed.id, "state": closed.state.value}
        return CallToolResult(
            content=[TextContent(type="text", text=f"{closed.id} is {closed.state}.")],
            structured_content=state,
        )

    async def _draft(self, given: ExecuteArguments | SessionCallArguments, context: Context) -> Draft:
        if not given.session:
            return given.draft(None)
        if given.session != NEW:
            sessions = self._agents.client(context).sessions
            return given.draft(await sessions.get(given.session, self._agents.name(context)))
        return given.draft(await self._new_session(given, context))

    async def _new_session(self, given: ExecuteArguments | SessionCallArguments, context: Context) -> Session:
        """Open a session; the same call again gets the one that it had before, where it is still there."""
        sessions, name = self._agents.client(context).sessions, self._agents.name(context)
        call = (self._agents.key(context), given.model_dump_json())
        async with self._session_lock:
            if known := self._sessions.get(call):
                session = await sessions.get(known, name)
                if session.state is not SessionState.CLOSED:
                    return session
            image = given.image if isinstance(given, ExecuteArguments) else ""
            session = await sessions.create(given.language, image, name)
            self._sessions[call] = session.id
            while len(self._sessions) > MOST_REMEMBERED:
                del self._sessions[next(iter(self._sessions))]
        return session

    async def own(self, id: str, context: Context, within: float = 0) -> Case:
        """Return a case of the agent that asks.

        Raises:
            Problem: there is none of that id that is its own.
        """
        client = self._agents.client(context)
        case = await self._call_engine(client, lambda: client.case(id, within))
        if id := case.revived_as:
            case = await self._call_engine(client, lambda: client.case(id, within))
        if id in self._withdrawals:
            self._cancel_withdrawal(id)
            self._schedule_withdrawal(case, context)
        return case

    def given_up(self, request: object) -> None:
        """Note that the client gave up the request of that id."""
        self._deliveries.given_up(request)

    async def wait(self, case: Case, context: Context, began: float) -> CallToolResult:
        """Wait for a person and for the run, as long as the settings say, and tell what became of it.

        `began` is when the call came in, by the clock of the loop. A call that is cancelled meanwhile
        withdraws what nobody approved, unless it comes again in time.
        """
        self._cancel_withdrawal(case.submission.id)
        self._deliveries.asked(case.submission.id)
        try:
            case = await self._waited(case, context, began)
            if not self._lease:
                self._schedule_withdrawal(case, context)
            result = await self.result_of(case, context)
            self._deliveries.answered(case, self._agents.client(context), began, context.request_id)
        except asyncio.CancelledError:
            self._patience.gave_up(asyncio.get_running_loop().time() - began)
            self._schedule_withdrawal(case, context)
            raise
        return result

    async def cancel(self, id: str, context: Context) -> CallToolResult:
        """Withdraw what waits, or kill its run."""
        case, client = await self.own(id, context), self._agents.client(context)
        if case.status in OPEN:
            await client.withdraw(id, self._agents.name(context))
            case = await client.case(id, within=PROGRESS_SECONDS)
        result = await self.result_of(case, context)
        return CallToolResult(
            content=result.content, structured_content=result.structured_content, is_error=False
        )

    async def result_of(self, case: Case, context: Context) -> CallToolResult:
        """Return what became of a case, with what its code printed once it has run."""
        return await self._results.of(case, self._agents.client(context), links=links_understood(context))

    async def read_artifact(self, given: ArtifactArguments, context: Context) -> CallToolResult:
        """Return a part of a file that a run left."""
        content = await self._agents.client(context).artifact(given.id, Untrusted(given.name))
        return part_of_file(given, content, self._settings.mcp_output_kb * 1024)

    async def artifact(self, id: str, name: str, context: Context) -> bytes:
        """Return a file that a run left."""
        return await self._agents.client(context).artifact(id, Untrusted(name))

    async def _waited(self, case: Case, context: Context, began: float) -> Case:
        clock, client = asyncio.get_running_loop().time, self._agents.client(context)
        most = self._patience.seconds(progress=asks_for_progress(context))
        while case.status in OPEN and (left := began + most - clock()) > 0:
            await context.session.report_progress(clock() - began, most, progress_message(case))
            case = await client.case(case.submission.id, within=min(PROGRESS_SECONDS, left))
        return case

    async def _call_engine(self, client: Client, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask the engine, which is started where none answers any more."""
        try:
            return await ask()
        except Problem as problem:
            if problem.status != 503:
                raise
        await self._ensure_engine(client)
        return await ask()

    async def _ensure_engine(self, client: Client) -> None:
        async with self._start_lock:
            await ensure_engine(client)

    def cancel_withdrawals(self) -> None:
        """Leave the rest to the engine, which notices that the agent is gone."""
        for leaving in self._withdrawals.values():
            leaving.cancel()

    def keep_until_withdrawn(self, case: Case, context: Context) -> None:
        """Keep what became a task for as long as it is asked after, where nobody stays connected."""
        if not self._lease:
            self._schedule_withdrawal(case, context)

    def _schedule_withdrawal(self, case: Case, context: Context) -> None:
        id = case.submission.id
        if case.status is Status.PENDING and id not in self._withdrawals:
            self._withdrawals[id] = self._tasks.create_task(
                self._withdraw_later(id, self._agents.client(context), self._agents.name(context))
            )

    def _cancel_withdrawal(self, id: str) -> None:
        if leaving := self._withdrawals.pop(id, None):
            leaving.cancel()

    async def _withdraw_later(self, id: str, client: Client, name: str) -> None:
        await asyncio.sleep(self._settings.withdraw_seconds)
        del self._withdrawals[id]
        with contextlib.suppress(Problem):
            if (await client.case(id)).status is Status.PENDING:
                await client.withdraw(id, name)
