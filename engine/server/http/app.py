"""The HTTP API as one FastAPI application over an engine."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from fastapi import Depends, FastAPI

from engine.core import Engine
from engine.models import Event, Meters, OutputChunk, VerificationProgress
from engine.models.api import LeaseStatus, OutputLine
from engine.server.http.authorization import VERSION, require_scope
from engine.server.http.document import SERVERS, TAGS, describe, operation_id
from engine.server.http.problems import PROBLEM_RESPONSES, add_problem_handlers
from engine.server.http.request_body import known_parameters
from engine.server.http.routes.erasures import erasure_routes
from engine.server.http.routes.history import history_routes
from engine.server.http.routes.incidents import incident_routes
from engine.server.http.routes.keys import key_routes
from engine.server.http.routes.policy import policy_routes
from engine.server.http.routes.previews import preview_routes
from engine.server.http.routes.rescans import rescan_routes
from engine.server.http.routes.responses import response_routes
from engine.server.http.routes.reviews import review_routes
from engine.server.http.routes.runs import run_routes
from engine.server.http.routes.secrets import secret_routes
from engine.server.http.routes.sessions import session_routes
from engine.server.http.routes.shared_queries import shared_query_routes
from engine.server.http.routes.submissions import submission_routes
from engine.server.http.routes.system import monitor_routes, system_routes
from engine.server.http.routes.tokens import token_routes

ROUTES = (
    submission_routes,
    review_routes,
    policy_routes,
    response_routes,
    incident_routes,
    shared_query_routes,
    rescan_routes,
    erasure_routes,
    run_routes,
    session_routes,
    preview_routes,
    history_routes,
    secret_routes,
    token_routes,
    key_routes,
)
STREAMED = (Event, LeaseStatus, OutputLine, Meters, OutputChunk, VerificationProgress)
"""The models that only streams contain."""


def create_app(engine: Engine, shut_down: Callable[[], None]) -> FastAPI:
    """Return the API over an engine; `shut_down` ends its process."""
    app = FastAPI(
        title="Pratique",
        summary="Submit code, have it reviewed, run it in a gVisor sandbox, and read the history.",
        version=version("pratique"),
        servers=SERVERS,
        openapi_tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        generate_unique_id_function=operation_id,
        separate_input_output_schemas=False,
        docs_url=None,
        redoc_url=None,
        responses=PROBLEM_RESPONSES,
        dependencies=[Depends(require_scope(engine)), Depends(known_parameters)],
    )
    add_problem_handlers(app)
    for routes in ROUTES:
        app.include_router(routes(engine), prefix=VERSION)
    app.include_router(system_routes(engine, shut_down), prefix=VERSION)
    app.include_router(monitor_routes(engine))
    describe(app, STREAMED)
    return app
