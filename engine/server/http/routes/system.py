"""The engine itself: health, readiness, metrics, events, shutdown."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from engine import locations
from engine.common.errors import Problem
from engine.common.text import visible
from engine.core import Engine
from engine.models import Event, Health
from engine.server.http.authorization import CurrentPrincipal
from engine.server.http.metrics import CONTENT_TYPE, PrometheusMetrics
from engine.server.http.ndjson import Accept, LastEventId, ndjson_response, ndjson_stream
from engine.server.http.request_body import StrictRoute


def system_routes(engine: Engine, shut_down: Callable[[], None]) -> APIRouter:
    """Return the routes of the engine itself; `shut_down` ends its process."""
    router = APIRouter(tags=["Engine"], route_class=StrictRoute)
    _event_routes(router, engine)

    @router.post("/shutdown", status_code=204, summary="Shut the engine down")
    async def shut_down_engine(by: CurrentPrincipal) -> None:
        """End the engine's process, and with it every run."""
        with contextlib.suppress(OSError):  # an open console may start another one then
            locations.stopped().touch(mode=0o600)
        shut_down()

    return router


def monitor_routes(engine: Engine) -> APIRouter:
    """Return the routes for monitors, whose paths have no version."""
    router = APIRouter(tags=["Monitoring"], route_class=StrictRoute)
    _health_routes(router, engine)
    _metrics_routes(router, engine)
    return router


def _health_routes(router: APIRouter, engine: Engine) -> None:
    @router.get("/healthz", summary="Get the health of the engine")
    async def get_health(
        settled_within: Annotated[
            float, Query(ge=0, le=25, description="Seconds to wait for an engine that is starting.")
        ] = 0,
    ) -> Health:
        """Return each check with its result, and the proof of isolation."""
        return await engine.health(settled_within)

    @router.get("/readyz", status_code=204, summary="Check whether the engine can run code")
    async def check_readiness() -> None:
        """Return 204 when code can run, otherwise 503 with the reason. Needs no token."""
        health = await engine.health()
        if not health.can_run:
            failed = next((check for check in health.checks if not check.ok), None)
            why = visible(failed.detail) if failed else "gVisor is not proven"
            raise Problem(503, f"the engine cannot run code: {why}", hint=failed.hint if failed else "")


def _event_routes(router: APIRouter, engine: Engine) -> None:
    @router.get(
        "/events",
        response_class=StreamingResponse,
        responses=ndjson_response(Event),
        summary="Stream events",
    )
    async def stream_events(
        since: Annotated[int | None, Query(ge=0, description="Start after this event; default: now.")] = None,
        type: Annotated[str, Query(description="One type, or its first part: `run` is every `run.…`.")] = "",
        subject: Annotated[str, Query(description="The id of one submission or session.")] = "",
        accept: Accept = "",
        last_event_id: LastEventId = None,
    ) -> StreamingResponse:
        """Stream events as they are recorded, as JSON lines or as server-sent events."""
        start = since if last_event_id is None else last_event_id
        return ndjson_stream(_matching(engine.queries.events(start), type, subject), accept)


def _metrics_routes(router: APIRouter, engine: Engine) -> None:
    metrics = PrometheusMetrics(
        lambda: engine.queries.pending,
        lambda: engine.queries.going,
        lambda: engine.queries.running_here,
        lambda: engine.pool_status,
    )

    def count(event: Event) -> None:
        if not engine.drills.is_drill(event.subject):
            metrics.record(event)

    engine.queries.listen(count)

    @router.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE: {}}}},
        summary="Get the metrics",
    )
    async def get_metrics() -> Response:
        """Return the metrics in the Prometheus text format."""
        return Response(metrics.text(), media_type=CONTENT_TYPE)


async def _matching(
    events: AsyncGenerator[Event, None], type: str, subject: str
) -> AsyncGenerator[Event, None]:
    """Yield the events of one type (`run` is every `run.…`), of one subject, or both."""
    async with contextlib.aclosing(events):
        async for event in events:
            if subject in {"", event.subject} and (not type or f"{event.type}.".startswith(f"{type}.")):
                yield event
