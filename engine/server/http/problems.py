"""Errors as problem details (RFC 9457)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.types import Scope

from engine.common import log
from engine.common.errors import Problem
from engine.common.text import visible
from engine.history.errors import HistoryError
from engine.history.search.query.errors import QueryError
from engine.models.api import ProblemBody
from engine.server.http.problem_types import problem_type

MEDIA_TYPE = "application/problem+json"
HINTS = {
    400: "Send HTTP/1.1, as GET /openapi.json describes it.",
    403: "Use a token with the scope that this needs (docs/api.md).",
    404: "Look for the name or id again; GET /openapi.json lists what there is.",
    405: "Use a method that the header Allow names.",
    406: "Leave out the header Accept.",
    408: "Send it again.",
    409: "Get it again, and see what has changed.",
    410: "Nothing brings it back; the history says which rule erased it.",
    413: "Send less.",
    415: "Send application/json.",
    421: "Call the engine by a name of this machine, or add the name to server.hosts.",
    422: "Change what is named here; GET /openapi.json describes what is valid.",
    429: "Try again after the seconds in the header Retry-After.",
    431: "Send fewer or shorter headers.",
    500: "Look for the reference in the engine log.",
    502: "Ask again.",
    503: "Type: pratique doctor",
    504: "Type: pratique doctor",
}
"""What to do next where the problem itself does not say it, by status."""
LOGGED = "pratique.logged"
"""Set in a request's scope once its unexpected error is in the log."""

_SCHEMA = {"$ref": f"#/components/schemas/{ProblemBody.__name__}"}
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {MEDIA_TYPE: {"schema": _SCHEMA}}}
    for status, text in (("4XX", "The request cannot be met."), ("5XX", "The engine cannot meet it now."))
}
"""What every operation may answer."""


def add_problem_handlers(app: FastAPI) -> None:
    """Have an application answer every error as a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HistoryError, _history_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _internal_error)


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a problem as a response."""
    body = ProblemBody(
        type=problem_type(problem.status),
        status=problem.status,
        title=problem.title,
        hint=problem.hint or HINTS.get(problem.status, HINTS[422]),
        correlation_id=problem.correlation_id,
    )
    if problem.status == 429 or problem.retry_after:
        headers = {**(headers or {}), "Retry-After": f"{math.ceil(problem.retry_after or 60)}"}
    return JSONResponse(body.model_dump(), problem.status, headers=headers, media_type=MEDIA_TYPE)


def internal_problem(error: BaseException, scope: Scope) -> Problem:
    """Log an unexpected error of a request and return the problem that refers to it."""
    scope[LOGGED] = True
    route = scope.get("route")
    where = f"{scope.get('method', '')} {getattr(route, 'path', '')}".strip()
    return Problem.internal(log.internal_error(error, where))


async def _problem(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Problem):
        raise error
    return problem_response(error)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return problem_response(Problem(error.status_code, str(error.detail)), error.headers)


async def _internal_error(request: Request, error: Exception) -> JSONResponse:
    return problem_response(internal_problem(error, request.scope))


async def _history_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HistoryError):
        raise error
    if isinstance(error, QueryError):
        return problem_response(Problem(422, visible(error.title), hint=error.hint))
    log.warning("history.unavailable", reason=error.title, hint=error.hint)
    return problem_response(Problem(503, visible(error.title), hint=error.hint))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError | ValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return problem_response(Problem(422, visible(f"{where or 'the request'}: {first['msg']}"[:500])))
